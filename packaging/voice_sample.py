"""Voice the sample meeting: ``python packaging/voice_sample.py`` (developers only).

Reads resources/sample/script.toml and writes meeting.opus, truth.json, questions.json and
script.md beside it. Needs Debian's libflite1; the result is deterministic for one flite version.
"""

from __future__ import annotations

import json
import re
import tomllib
from dataclasses import dataclass
from pathlib import Path

import av
import numpy as np
from numpy.typing import NDArray

from flite_voice import RATE_HZ, Flite, Manner

Samples = NDArray[np.float32]
SAMPLE_DIR = Path(__file__).resolve().parent.parent / "resources" / "sample"
BIT_RATE = 32_000
TURN_PAUSE = 0.5
METHOD = (
    "Word times are the sound boundaries flite used while synthesising, shifted by the sample-exact"
    " place of each sentence in the mix; an utterance runs from its first to its last word."
    " turns split an utterance where it pauses for 0.5 s or more. Levels are RMS of speech samples."
)


@dataclass
class Line:
    """A spoken line, its sound and its place in the mix."""

    script: dict[str, object]
    samples: Samples
    words: list[tuple[str, float, float]]
    offset: float = 0.0

    @property
    def speaker(self) -> str:
        """Who says it."""
        return str(self.script["speaker"])

    @property
    def start(self) -> float:
        """Start of the first word in seconds."""
        return self.offset + self.words[0][1]

    @property
    def end(self) -> float:
        """End of the last word in seconds."""
        return self.offset + self.words[-1][2]


def speak(
    flite: Flite, line: dict[str, object], person: dict[str, object], random: np.random.Generator
) -> Line:
    """Speak a line sentence by sentence, with a natural pause between sentences."""
    manner = Manner(
        voice=person["voice"],
        pitch=person["pitch"] * line.get("pitch_factor", 1.0),
        stretch=person.get("stretch", 1.0) * line.get("stretch_factor", 1.0),
        tract=person.get("tract", 1.0),
    )
    pieces: list[Samples] = []
    words: list[tuple[str, float, float]] = []
    at = 0.0
    for sentence in re.split(r"(?<=[.?!])\s+", line["text"]):
        if pieces:
            pause = np.zeros(int(random.uniform(0.22, 0.42) * RATE_HZ), np.float32)
            pieces.append(pause)
            at += pause.size / RATE_HZ
        speech = flite.say(sentence, manner)
        texts = sentence.split()
        words += [(t, at + a, at + b) for t, (a, b) in zip(texts, speech.words, strict=True)]
        pieces.append(speech.samples)
        at += speech.samples.size / RATE_HZ
    return Line(line, np.concatenate(pieces), words)


def level_db(samples: Samples) -> float:
    """RMS of the samples that carry speech (within 30 dB of the loudest 20 ms), dB full scale."""
    frames = samples[: samples.size // 320 * 320].reshape(-1, 320)
    power = np.mean(frames**2, axis=1)
    return float(10 * np.log10(np.mean(power[power > power.max() / 1000]) + 1e-12))


def set_levels(lines: list[Line], speakers: dict[str, dict], random: np.random.Generator) -> None:
    """Give each speaker one level, small variation from line to line, and the planted gains."""
    for name, person in speakers.items():
        own = [line for line in lines if line.speaker == name]
        usual = level_db(np.concatenate([line.samples for line in own]))
        for line in own:
            gain = person["level_db"] - usual + random.uniform(-0.8, 0.8)
            gain += line.script.get("gain_db", 0.0)
            line.samples = line.samples * np.float32(10 ** (gain / 20))


def place(lines: list[Line], random: np.random.Generator) -> None:
    """Set the offset of every line; a negative gap starts it before the last one has ended."""
    at = 0.0
    for line in lines:
        gap = line.script.get("gap", random.uniform(0.25, 0.5))
        line.offset = round((at + gap) * RATE_HZ) / RATE_HZ
        at = line.offset + line.samples.size / RATE_HZ


def room(samples: Samples, seed: int) -> Samples:
    """Add a few early reflections and a short tail: a small furnished room."""
    random = np.random.default_rng(seed)
    response = np.zeros(int(0.22 * RATE_HZ), np.float32)
    response[0] = 1.0
    for delay in random.uniform(0.004, 0.03, 5):
        response[int(delay * RATE_HZ)] += random.uniform(-0.12, 0.12)
    times = np.arange(response.size) / RATE_HZ
    response += random.normal(0, 0.006, response.size) * np.exp(-times / 0.05) * (times > 0.008)
    size = 1 << int(np.ceil(np.log2(samples.size + response.size)))
    wet = np.fft.irfft(np.fft.rfft(samples, size) * np.fft.rfft(response, size), size)
    return wet[: samples.size].astype(np.float32)


def background(n_samples: int, noise_db: float, random: np.random.Generator) -> Samples:
    """Air of a quiet room: noise that falls with frequency."""
    spectrum = np.fft.rfft(random.normal(size=n_samples))
    hertz = np.fft.rfftfreq(n_samples, 1 / RATE_HZ)
    noise = np.fft.irfft(spectrum / np.sqrt(np.maximum(hertz, 60.0)), n_samples)
    return (noise / noise.std() * 10 ** (noise_db / 20)).astype(np.float32)


def mix(lines: list[Line], script: dict, random: np.random.Generator) -> Samples:
    """Add all lines, each speaker in a slightly different corner of the room, and the air."""
    end = max(line.offset + line.samples.size / RATE_HZ for line in lines) + script["tail"]
    total = np.zeros(int(end * RATE_HZ), np.float32)
    for seed, name in enumerate(script["speakers"]):
        voice = np.zeros_like(total)
        for line in lines:
            if line.speaker == name:
                first = round(line.offset * RATE_HZ)
                voice[first : first + line.samples.size] += line.samples
        total += room(voice, seed)
    total += background(total.size, script["noise_db"], random)
    peak = float(np.abs(total).max())
    if peak > 0.98:
        raise ValueError(f"the mix clips: peak {peak:.2f}")
    return total


def encode(samples: Samples, path: Path) -> None:
    """Write mono Opus in Ogg."""
    with av.open(str(path), "w", format="ogg") as container:
        stream = container.add_stream("libopus", rate=48_000, layout="mono")
        stream.bit_rate = BIT_RATE
        resampler = av.AudioResampler("flt", "mono", 48_000)
        frame = av.AudioFrame.from_ndarray(samples[None, :], "flt", "mono")
        frame.sample_rate = RATE_HZ
        for piece in [*resampler.resample(frame), *resampler.resample(None)]:
            container.mux(stream.encode(piece))
        container.mux(stream.encode(None))


def turns_of(lines: list[Line]) -> list[dict[str, object]]:
    """Stretches of speech without a pause of TURN_PAUSE or more."""
    turns: list[dict[str, object]] = []
    for line in lines:
        start, last = line.start, line.start
        for _, a, b in line.words:
            if line.offset + a - last >= TURN_PAUSE:
                turns.append({"start": start, "end": last, "speaker": line.speaker})
                start = line.offset + a
            last = line.offset + b
        turns.append({"start": start, "end": last, "speaker": line.speaker})
    return sorted(turns, key=lambda turn: turn["start"])


def planted(lines: list[Line]) -> dict[str, object]:
    """Where the things worth asking for are, computed from what was placed."""
    by_id = {line.script["id"]: line for line in lines}
    loud, first, second = by_id["shout"], by_id["less_paper"], by_id["paper"]
    usual = level_db(
        np.concatenate([x.samples for x in lines if x.speaker == loud.speaker and x is not loud])
    )
    span = {key: [line.start, line.end] for key, line in by_id.items()}
    said = [
        (text.strip(".,?!").lower(), [x.offset + a, x.offset + b])
        for x in lines
        for text, a, b in x.words
    ]
    budget = [at for text, at in said if text == "budget"]
    walker = [at for text, at in said if text == "walker"]
    return {
        "decision": {"at": span["decision"], "cause_at": span["cracked"]},
        "change_of_mind": {
            "speaker": "Martha",
            "against_at": span["against"],
            "for_at": span["changed_mind"],
        },
        "loud": {
            "speaker": loud.speaker,
            "at": span["shout"],
            "gain_db": level_db(loud.samples) - usual,
            "reason_at": span["why_shout"],
            "reason_by": by_id["why_shout"].speaker,
        },
        "overlap": {
            "start": second.start,
            "end": first.end,
            "speakers": [first.speaker, second.speaker],
        },
        "mentioned_once": {"word": "Walker", "count": len(walker), "at": walker},
        "count": {"word": "budget", "count": len(budget), "at": budget},
        "promise": {"speaker": "Daniel", "due": "Thursday, 12 March", "at": span["promise"]},
        "never_said": ["Spanish", "translation", "company"],
    }


def truth(lines: list[Line], script: dict, duration: float) -> dict[str, object]:
    """Everything that is true about the recording."""
    ordered = sorted(lines, key=lambda line: line.start)
    words = [
        {"start": x.offset + a, "end": x.offset + b, "text": text, "speaker": x.speaker}
        for x in ordered
        for text, a, b in x.words
    ]
    return {
        "title": script["title"],
        "language": script["language"],
        "audio": "meeting.opus",
        "duration": duration,
        "method": METHOD,
        "speakers": [
            {"name": name, "role": person["role"], "voice": person["voice"]}
            for name, person in script["speakers"].items()
        ],
        "utterances": [
            {
                "i": i,
                "id": x.script["id"],
                "start": x.start,
                "end": x.end,
                "speaker": x.speaker,
                "text": x.script["text"],
                "level_db": level_db(x.samples),
            }
            for i, x in enumerate(ordered)
        ],
        "turns": turns_of(lines),
        "words": sorted(words, key=lambda word: word["start"]),
        "planted": planted(lines),
    }


def questions(script: dict, lines: list[Line]) -> dict[str, object]:
    """The questions with their evidence as times."""
    by_id = {line.script["id"]: line for line in lines}
    minute, second = divmod(int(by_id["shout"].start), 60)

    def spans(ids: list[str]) -> list[dict[str, object]]:
        chosen = sorted((by_id[key] for key in ids), key=lambda line: line.start)
        return [
            {"id": x.script["id"], "start": x.start, "end": x.end, "speaker": x.speaker}
            for x in chosen
        ]

    result = [
        {
            "id": item["id"],
            "type": item["type"],
            "demo": item.get("demo", False),
            "question": item["question"].format(shout=f"{minute}:{second:02d}"),
            "answer": item["answer"],
            "expect": item.get("expect", []),
            "evidence": spans(item.get("evidence", [])),
            "core": spans(item.get("core", [])),
            "unanswerable": item.get("unanswerable", False),
        }
        for item in script["questions"]
    ]
    return {"title": script["title"], "questions": result}


def readable(script: dict, lines: list[Line]) -> str:
    """The dialogue for a person to read."""
    rows = [
        f"# {script['title']}",
        "",
        "Our own dialogue, voiced with flite. Minute:second, speaker.",
    ]
    for line in sorted(lines, key=lambda x: x.start):
        minute, second = divmod(int(line.start), 60)
        rows += ["", f"**{minute}:{second:02d} {line.speaker}:** {line.script['text']}"]
    return "\n".join(rows) + "\n"


def _rounded(value: object) -> object:
    """Milliseconds are enough."""
    if isinstance(value, float):
        return round(value, 3)
    if isinstance(value, dict):
        return {key: _rounded(item) for key, item in value.items()}
    return [_rounded(item) for item in value] if isinstance(value, list) else value


def write_json(path: Path, value: object) -> None:
    """Write JSON with one list item a line, so that changes can be read."""
    text = json.dumps(_rounded(value), indent=1, ensure_ascii=False)
    text = re.sub(r"\[\s+(-?[\d.]+),\s+(-?[\d.]+)\s+\]", r"[\1, \2]", text)
    text = re.sub(
        r"\{\s+([^{}\[\]]+?)\s+\}", lambda m: "{" + re.sub(r"\n\s+", " ", m[1]) + "}", text
    )
    path.write_text(text + "\n", encoding="utf-8")


def main() -> None:
    """Make every file of the sample meeting."""
    script = tomllib.loads((SAMPLE_DIR / "script.toml").read_text(encoding="utf-8"))
    random = np.random.default_rng(script["seed"])
    flite = Flite()
    lines = [speak(flite, x, script["speakers"][x["speaker"]], random) for x in script["lines"]]
    set_levels(lines, script["speakers"], random)
    place(lines, random)
    samples = mix(lines, script, random)
    encode(samples, SAMPLE_DIR / "meeting.opus")
    facts = truth(lines, script, samples.size / RATE_HZ)
    write_json(SAMPLE_DIR / "truth.json", facts)
    write_json(SAMPLE_DIR / "questions.json", questions(script, lines))
    (SAMPLE_DIR / "script.md").write_text(readable(script, lines), encoding="utf-8")
    size_kb = (SAMPLE_DIR / "meeting.opus").stat().st_size / 1000
    print(f"{facts['duration']:.1f} s, {size_kb:.0f} kB")
    print(json.dumps(_rounded(facts["planted"]), indent=1))


if __name__ == "__main__":
    main()
