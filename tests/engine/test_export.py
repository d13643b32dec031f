import csv
import io
import json
import os
import re
import zipfile
from xml.etree import ElementTree

import numpy as np
import pytest

from engine.errors import EngineError, MeetingNotFound
from engine.export import FORMATS, export, export_evidence, meeting_json
from engine.graph import edits
from engine.graph.store import Store
from engine.transcripts import read_transcript
from engine.types import Acoustics, Cue, Note, Topic, Utterance, Word
from engine.types_answer import Answer, Citation, Receipt, Sentence, Verdict

NASTY = "it's <b> & --> # _*"


@pytest.fixture
def store(tmp_path):
    with Store(tmp_path / "library") as opened:
        yield opened


@pytest.fixture
def m(store):
    meeting = store.create_meeting(f"Plan {NASTY}", "plan.wav")
    words = tuple(Word(i * 0.5, i * 0.5 + 0.4, w) for i, w in enumerate(NASTY.split()))
    store.save_utterances(
        meeting.id,
        [
            Utterance(0, 0.0, 4.0, "", NASTY, 0, words),
            Utterance(1, 4.0, 6.0, "", "=SUM(A1) 漢字 😀 שלום", 1),
            Utterance(2, 6.0, 7.0, "", "", 1),
            Utterance(3, 7.0, 107.0, "", "a very long speech " * 60, 0),
        ],
    )
    store.save_acoustics(meeting.id, [Acoustics(-20, cues=(Cue.LOUD,)), None, None, None])
    store.save_topics(meeting.id, [Topic("Money <i>", 0, 7, "costs & gains")])
    store.add_note(meeting.id, Note("action", "send it", 4.0, 6.0, owner="Ann", due="Monday"))
    ids = [s.id for s in store.speakers(meeting.id)]
    edits.rename_speaker(store, meeting.id, ids[0], "Ann <Lee> & Co")
    edits.rename_speaker(store, meeting.id, ids[1], "Bob")
    return meeting.id


def content(store, m, kind, tmp_path):
    return export(store, m, kind, tmp_path / f"out.{kind}").read_bytes()


def test_html_shows_signs_and_runs_nothing(store, m, tmp_path):
    """Field report I3."""
    text = content(store, m, "html", tmp_path).decode()
    assert "it&#x27;s &lt;b&gt; &amp; --&gt; # _*" in text
    assert "Ann &lt;Lee&gt; &amp; Co" in text
    assert "<b>" not in re.sub(r"<b>(Ann|Bob)", "", text)
    assert "<script" not in text
    assert "http" not in re.sub(r"http-equiv", "", text)


def test_vtt_reads_back(store, m, tmp_path):
    """Field report I3."""
    text = content(store, m, "vtt", tmp_path)
    assert not text.startswith(b"\xef\xbb\xbf")
    assert text.startswith(b"WEBVTT\n\n00:00:00.000 --> 00:00:0")
    (tmp_path / "back.vtt").write_bytes(text)
    back = read_transcript(tmp_path / "back.vtt")
    assert (back[0].speaker, back[0].text) == ("Ann <Lee> & Co", NASTY)
    assert all(len(u.text) <= 100 and u.end - u.start <= 8 for u in back)
    assert back[-1].end == pytest.approx(107.0, abs=0.01)


def test_srt_reads_back(store, m, tmp_path):
    text = content(store, m, "srt", tmp_path)
    assert text.startswith(b"1\n00:00:00,000 --> 00:00:0")
    (tmp_path / "back.srt").write_bytes(text)
    back = read_transcript(tmp_path / "back.srt")
    assert "it's <b> & → # _*" in back[0].text
    assert (back[1].speaker, back[1].text) == ("Bob", "=SUM(A1) 漢字 😀 שלום")


def test_csv_is_for_spreadsheets(store, m, tmp_path):
    """Field report I5."""
    text = content(store, m, "csv", tmp_path)
    assert text.startswith(b"\xef\xbb\xbf")
    rows = list(csv.DictReader(io.StringIO(text.decode("utf-8-sig"), newline="")))
    assert rows[0]["text"] == NASTY
    assert rows[0]["cues"] == "loud"
    assert rows[1]["text"] == "'=SUM(A1) 漢字 😀 שלום"


def test_json_is_what_show_prints(store, m, tmp_path):
    text = content(store, m, "json", tmp_path)
    assert not text.startswith(b"\xef\xbb\xbf")
    document = json.loads(text)
    assert document == json.loads(json.dumps(meeting_json(store, m)))
    first = document["utterances"][0]
    assert (first["i"], first["speaker"], first["text"]) == (0, "Ann <Lee> & Co", NASTY)
    assert first["words"][0] == {"start": 0.0, "end": 0.4, "text": "it's", "probability": 1.0}
    assert first["acoustics"]["cues"] == ["loud"]
    assert document["notes"][0]["owner"] == "Ann"


def test_markdown_escapes_its_signs(store, m, tmp_path):
    text = content(store, m, "md", tmp_path).decode()
    assert "# Plan it's \\<b\\> &amp; --\\> \\# \\_\\*" in text
    assert "- Ann: send it (due Monday) (0:00:04)" in text
    store.save_utterances(
        m, [Utterance(0, 0, 1, "", "1. not a list"), Utterance(1, 1, 2, "", "- x")]
    )
    text = content(store, m, "md", tmp_path).decode()
    assert "(0:00:00): 1\\. not a list" in text


def test_txt_is_plain(store, m, tmp_path):
    text = content(store, m, "txt", tmp_path).decode()
    assert f"[0:00:00] Ann <Lee> & Co: {NASTY}" in text
    assert "ACTION ITEMS" in text


def test_docx_is_well_formed(store, m, tmp_path):
    edits.edit_text(store, m, 1, "\x07bell \x1f & <end>")
    with zipfile.ZipFile(io.BytesIO(content(store, m, "docx", tmp_path))) as package:
        assert package.testzip() is None
        for name in package.namelist():
            ElementTree.fromstring(package.read(name))
        body = ElementTree.fromstring(package.read("word/document.xml"))
    text = "".join(node.text or "" for node in body.iter() if node.tag.endswith("}t"))
    assert NASTY in text
    assert "bell  & <end>" in text or "bell & <end>" in text


def test_pdf_has_pages(store, m, tmp_path):
    pytest.importorskip("fpdf")
    made = content(store, m, "pdf", tmp_path)
    assert made.startswith(b"%PDF-")
    assert made.rstrip().endswith(b"%%EOF")


@pytest.mark.parametrize("kind", ["md", "txt", "srt", "vtt", "csv", "html", "json", "docx"])
def test_names_and_corrections_are_current(store, m, tmp_path, kind):
    """Field report I4."""
    bob = next(s.id for s in store.speakers(m) if s.name == "Bob")
    edits.rename_speaker(store, m, bob, "Zuzana")
    edits.edit_text(store, m, 1, "corrected")
    made = content(store, m, kind, tmp_path)
    if kind == "docx":
        made = zipfile.ZipFile(io.BytesIO(made)).read("word/document.xml")
    assert b"Zuzana" in made
    assert b"corrected" in made
    assert b"Bob" not in made
    assert b"SUM" not in made


def test_every_format_writes_an_empty_meeting(store, tmp_path):
    meeting = store.create_meeting("Empty")
    for kind in FORMATS:
        if kind != "pdf":
            assert content(store, meeting.id, kind, tmp_path) or kind == "srt"


def test_what_cannot_be_written_is_said(store, m, tmp_path):
    with pytest.raises(EngineError, match="no export format"):
        export(store, m, "exe", tmp_path / "x")
    with pytest.raises(MeetingNotFound):
        export(store, "mffffffff", "md", tmp_path / "x")
    (tmp_path / "folder.md").mkdir()
    with pytest.raises(EngineError, match="cannot be written"):
        export(store, m, "md", tmp_path / "folder.md")
    assert [p.name for p in tmp_path.iterdir() if p.name.startswith(".export")] == []


@pytest.mark.skipif(os.name == "nt", reason="POSIX permissions")
def test_an_export_is_an_ordinary_file(store, m, tmp_path):
    path = export(store, m, "txt", tmp_path / "new" / "x.txt")
    assert path.stat().st_mode & 0o400
    assert path.stat().st_mode & 0o044 == 0o044 & ~_mask()


def _mask():
    mask = os.umask(0)
    os.umask(mask)
    return mask


def test_an_evidence_pack_can_be_heard(store, m, tmp_path):
    soundfile = pytest.importorskip("soundfile")
    tone = (np.sin(np.arange(16_000 * 8) / 10) * 9000).astype(np.int16)
    soundfile.write(store.media_dir(m) / "audio.flac", tone, 16_000)
    citation = Citation(m, 0, 1.0, 2.0, "Ann <Lee>", NASTY)
    answer = Answer(
        "What & why?", "Because.", (Sentence("Because <b>.", (citation,)),), Verdict(5, True),
        False, "agent", Receipt(),
    )  # fmt: skip
    text = export_evidence(store, answer, tmp_path / "pack.html").read_text("utf-8")
    assert "What &amp; why?" in text
    assert "it&#x27;s &lt;b&gt;" in text
    packed = re.search(r"data:audio/wav;base64,([^\"]+)", text)
    import base64

    samples, rate = soundfile.read(io.BytesIO(base64.b64decode(packed[1])), dtype="int16")
    assert rate == 16_000
    assert np.array_equal(samples, tone[int(0.7 * rate) : int(2.3 * rate)])
