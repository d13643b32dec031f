import json
import os
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.errors import TranscriptError
from engine.transcripts import parse_transcript, read_transcript

SHARED = Path(os.environ.get("EARWITNESS_SHARED", Path(__file__).resolve().parents[3] / "shared"))


def parsed(text: str):
    return [(u.start, u.end, u.speaker, u.text) for u in parse_transcript(text.encode())]


def test_json_of_several_shapes():
    rows = [
        {"speaker": "Ann", "start": 0, "end": 1.5, "text": "Hello"},
        {"speaker": "Bob", "start": 1.5, "end": 2, "text": ""},
    ]
    expected = [(0.0, 1.5, "Ann", "Hello"), (1.5, 2.0, "Bob", "")]
    assert parsed(json.dumps(rows)) == expected
    assert parsed(json.dumps({"utterances": rows, "questions": []})) == expected
    assert parsed("\ufeff" + json.dumps({"segments": rows})) == expected


def test_json_words_and_times_as_text():
    row = {
        "start": "00:01:02.500",
        "end": "63.5",
        "text": "one two",
        "words": [
            {"word": " one", "start": 62.5, "end": 63, "probability": 0.5},
            {"word": "two"},
            {"text": "two", "start": 63, "end": 63.5, "score": float("nan")},
        ],
    }
    (utterance,) = parse_transcript(json.dumps([row]).encode())
    assert (utterance.start, utterance.end) == (62.5, 63.5)
    assert [(w.text, w.probability) for w in utterance.words] == [("one", 0.5), ("two", 1.0)]


def test_vtt_with_voices_names_notes_and_settings():
    text = """WEBVTT - made by a machine

STYLE
::cue { color: red }

NOTE
a comment
of two lines

intro
00:01.000 --> 00:02.500 align:start
<v.loud Ann Lee>It's <i>fine</i> &amp; &lt;good&gt;</v>

01:00:03.000 --> 01:00:04.000
Bob: and
more

00:05.000 --> 00:06.000
[Speaker 3] ratio is 3:1
"""
    assert parsed(text) == [
        (1.0, 2.5, "Ann Lee", "It's fine & <good>"),
        (3603.0, 3604.0, "Bob", "and more"),
        (5.0, 6.0, "Speaker 3", "ratio is 3:1"),
    ]


def test_srt_with_windows_ends_commas_and_missing_blank_lines():
    text = (
        "\ufeff1\r\n00:00:01,000 --> 00:00:02,000\r\nFirst line\r\nsecond line\r\n"
        "2\r\n00:00:03.5 --> 00:00:04\r\nWithout a blank line\r\n\r\n\r\n"
        "3\r\n00:00:05,000 -> 00:00:06,000\r\n"
    )
    with pytest.raises(TranscriptError, match="Line 11"):
        parsed(text.replace("00:05,000 ->", "00:05,000 a -->"))
    assert parsed(text.split("3\r\n")[0]) == [
        (1.0, 2.0, "", "First line second line"),
        (3.5, 4.0, "", "Without a blank line"),
    ]


def test_an_empty_cue_keeps_its_place():
    text = "WEBVTT\n\n00:01.000 --> 00:02.000\n\n00:03.000 --> 00:04.000\nHi\n"
    assert parsed(text) == [(1.0, 2.0, "", ""), (3.0, 4.0, "", "Hi")]


def test_backward_times_become_empty_spans():
    assert parsed('[{"start": 5, "end": 3, "text": "x"}]') == [(5.0, 5.0, "", "x")]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "empty"),
        (b"\x00\x01RIFF", "not a text file"),
        (b"just prose\nand more", "line 1"),
        (b'[{"text": "a"},\n{"text": }]', "line 2"),
        (b'{"a": 1}', "no list"),
        (b"[1, 2]", "Entry 1"),
        (b'[{"text": "a", "start": "soon"}]', "'soon'"),
        (b'[{"text": "a", "start": 1e400}]', "impossible"),
        (b'[{"text": "a", "start": NaN}]', "impossible"),
        (b'[{"text": "a", "start": true}]', "not a number"),
        (b'[{"text": ""}]', "no spoken text"),
        (b"WEBVTT\n\nzero --> one\nHi", "Line 3"),
        (b"[" * 100_000, "JSON"),
        (b'[{"text": "a", "start": ' + b"9" * 5000 + b"}]", "JSON"),
    ],
)
def test_what_is_wrong_is_said(content, message):
    with pytest.raises(TranscriptError, match=message):
        parse_transcript(content)


def test_a_missing_file_is_said(tmp_path):
    with pytest.raises(TranscriptError, match="cannot be read"):
        read_transcript(tmp_path / "none.json")
    with pytest.raises(TranscriptError, match="cannot be read"):
        read_transcript(tmp_path)


PIECES = st.sampled_from(
    ["WEBVTT\n", "\n", "00:01.000 --> 00:02.000\n", "1\n", "-->", "<v ", "Ann: ", '{"text":', "[",
     '"start": 1e9', "}", ",", "\x00", "\ufeff", "9" * 30, "&#x110000;", "&#99999999999;", "NOTE"]
)  # fmt: skip


@settings(max_examples=int(os.environ.get("EARWITNESS_EXAMPLES", "150")), deadline=None)
@given(st.one_of(st.binary(max_size=200), st.lists(PIECES, max_size=12).map("".join)))
def test_garbage_never_crashes(garbage):
    content = garbage if isinstance(garbage, bytes) else garbage.encode()
    try:
        utterances = parse_transcript(content)
    except TranscriptError:
        return
    assert [u.index for u in utterances] == list(range(len(utterances)))
    assert all(0 <= u.start <= u.end for u in utterances)


@pytest.mark.skipif(not SHARED.exists(), reason="evaluation data is not beside the repository")
def test_evaluation_meetings_keep_their_indices():
    for path in sorted((SHARED / "data" / "qa").glob("*.json")):
        rows = json.loads(path.read_text("utf-8"))["utterances"]
        utterances = read_transcript(path)
        assert len(utterances) == len(rows)
        assert [u.text for u in utterances] == [" ".join(r["text"].split()) for r in rows]
