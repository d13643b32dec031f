"""How well the diarization thresholds carry over to kinds of recordings they were not chosen on.

    python tests/benchmarks/hearing_thresholds.py FOLDER

One kind of recording after another (AMI, LibriSpeech, falcon) is left out; the thresholds are
chosen on the others (least mean DER over kinds, no collar) and scored on the one left out; of
thresholds that are equally good on the others the worst one counts. FOLDER
keeps what the models found, so that a second run takes seconds. Data: EARWITNESS_SHARED or
../shared.
"""

from __future__ import annotations

import itertools
import os
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))
sys.path.insert(0, str(Path(__file__).parent))

import hearing_scoring as scoring  # noqa: E402
import numpy as np  # noqa: E402

from engine.audio.decode import decode  # noqa: E402
from engine.progress import silent  # noqa: E402
from engine.speech import diarize, vad, voices  # noqa: E402
from engine.speech.clustering import ClusterOptions  # noqa: E402

AUDIO = Path(os.environ.get("EARWITNESS_SHARED", ROOT.parent / "shared")) / "data" / "audio"
KINDS = {
    "AMI": [
        f"ami/{s}.wav" for s in ("dev00", "dev01", "trn00", "trn03", "trn04", "trn05", "trn06")
    ],
    "LibriSpeech": ["libri/libri_meeting_4spk.flac", "libri/libri_meeting_6spk.flac"],
    "falcon": ["misc/falcon_three_speakers.wav"],
}
LOWEST, HIGHEST = (0.10, 0.16, 0.22, 0.28, 0.34), (0.38, 0.44, 0.50, 0.56, 0.62)


def pieces_of(name: str, folder: Path) -> voices.Pieces:
    """What the models find in a recording; from ``folder`` where it was found before."""
    media = folder / Path(name).stem
    kept = voices.load_pieces(media / diarize.PIECES_NAME)
    if kept is not None:
        return kept
    media.mkdir(parents=True, exist_ok=True)
    timeline = decode(AUDIO / name, media, "mix", silent())
    diarize.diarize(timeline, vad.speech_spans(timeline.path, silent()), 0, silent())
    found = voices.load_pieces(media / diarize.PIECES_NAME)
    assert found is not None
    return found


def error(names: list[str], folder: Path, options: ClusterOptions) -> float:
    """DER of one kind of recording."""
    total = scoring.Der(0, 0, 0, 0)
    for name in names:
        pieces = pieces_of(name, folder)
        turns = diarize.recluster(pieces, 0, options).turns
        reference = scoring.read_rttm((AUDIO / name).with_suffix(".rttm"))
        said = [(t.start, t.end, str(t.speaker)) for t in turns]
        total += scoring.der(reference, said, end=pieces.duration)
    return total.rate


def main() -> None:
    folder = Path(sys.argv[1])
    grid = [ClusterOptions(lowest=a, highest=b) for a, b in itertools.product(LOWEST, HIGHEST)]
    table = {
        kind: [error(names, folder, options) for options in grid] for kind, names in KINDS.items()
    }
    shipped = grid.index(ClusterOptions())
    print(
        "| left out | thresholds chosen on the rest | DER | DER as shipped | range over the grid |"
    )
    print("|---|---|---|---|---|")
    for kind in KINDS:
        rest = np.mean([table[other] for other in KINDS if other != kind], axis=0)
        equal = [i for i in range(len(grid)) if rest[i] < rest.min() + 0.0005]
        row = table[kind]
        worst = max(equal, key=lambda i: row[i])
        chosen = grid[worst]
        print(
            f"| {kind} | {chosen.lowest:.2f} to {chosen.highest:.2f} | {row[worst]:.3f} |"
            f" {row[shipped]:.3f} | {min(row):.3f} to {max(row):.3f} |"
        )


if __name__ == "__main__":
    main()
