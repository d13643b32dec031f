"""A meeting held in another language than the prompts are written in, read by the real model."""

import pytest

from engine import messages, process
from engine.graph.languages import language_of
from engine.graph.store import Store

pytestmark = pytest.mark.end2end

GERMAN = """\
Anna: Guten Morgen zusammen. Heute geht es um den neuen Spielplatz hinter der Schule.
Jonas: Ich habe drei Angebote eingeholt. Die Schaukel aus Holz kostet viertausend Euro.
Anna: Und die Schaukel aus Metall?
Jonas: Die Schaukel aus Metall kostet sechstausend Euro, aber sie hält doppelt so lange.
Miriam: Mir ist wichtig, dass der Boden unter der Schaukel weich ist und Wasser aufnimmt.
Jonas: Dann brauchen wir Rindenmulch statt Sand. Der Sand wird im Winter hart.
Anna: Gut, wir nehmen die Schaukel aus Metall und Rindenmulch für den Boden.
Miriam: Einverstanden. Wann kann die Firma mit der Arbeit beginnen?
Jonas: Die Firma beginnt frühestens im April, vorher ist der Boden gefroren.
Anna: Jonas, schreibst du der Firma bis Freitag?
Jonas: Ja, ich schreibe der Firma bis Freitag und frage nach einem Termin im April.
Miriam: Ich spreche mit den Eltern. Sie wollen beim Verteilen des Rindenmulchs helfen.
Anna: Wunderbar. Dann sehen wir uns nächste Woche wieder an dieser Stelle.
"""


def as_vtt(lines):
    """Five seconds for each line."""
    cues = ["WEBVTT"]
    for k, line in enumerate(lines.splitlines()):
        name, _, text = line.partition(": ")
        start, end = (f"00:{5 * i // 60:02}:{5 * i % 60:02}.000" for i in (k, k + 1))
        cues.append(f"{start} --> {end}\n<v {name}>{text}")
    return "\n\n".join(cues) + "\n"


def test_what_is_written_about_a_german_meeting_is_german(engine, tmp_path):
    """Field report C3: summaries came in English, or mixed."""
    source = tmp_path / "spielplatz.vtt"
    source.write_text(as_vtt(GERMAN), "utf-8")
    library = str(tmp_path / "library")
    request = messages.ImportTranscript(process.new_job_id(), library, str(source))
    meeting = process.run(engine, request)
    steps = ("topics", "commitments", "summary")
    process.run(engine, messages.Enrich(process.new_job_id(), library, meeting.id, steps))
    with Store(tmp_path / "library", read_only=True) as store:
        topics = store.topics(meeting.id)
        notes = store.notes(meeting.id)
    written = [t.summary for t in topics if t.summary] + [note.text for note in notes]
    actions = [note for note in notes if note.kind == "action"]
    assert [(note.owner, "Freitag" in note.text) for note in actions][:1] == [("Jonas", True)]
    assert any("Metall" in note.text for note in notes if note.kind == "decision")
    assert [text for text in written if language_of(text) != "de"] == []
