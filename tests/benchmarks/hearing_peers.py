"""Runs a peer on some files and prints JSON; started by hearing.py with the peers' own Python.

Usage: python hearing_peers.py faster-whisper MODEL_DIR FILE...
       python hearing_peers.py sherpa SEGMENTATION EMBEDDING THRESHOLD FILE...
Files are 16 kHz mono. Nothing of this is part of the product.
"""

import json
import sys
import time


def faster_whisper(model_dir: str, files: list[str]) -> dict:
    from faster_whisper import WhisperModel

    recogniser = WhisperModel(model_dir, device="cpu", compute_type="int8", cpu_threads=2)
    found = {}
    for path in files:
        began = time.perf_counter()
        segments, _ = recogniser.transcribe(
            path, language="en", beam_size=1, vad_filter=True, word_timestamps=True
        )
        words = [(w.start, w.word) for segment in segments for w in segment.words]
        found[path] = {"words": words, "seconds": time.perf_counter() - began}
    return found


def sherpa(segmentation: str, embedding: str, threshold: float, files: list[str]) -> dict:
    import sherpa_onnx
    import soundfile

    config = sherpa_onnx.OfflineSpeakerDiarizationConfig(
        segmentation=sherpa_onnx.OfflineSpeakerSegmentationModelConfig(
            pyannote=sherpa_onnx.OfflineSpeakerSegmentationPyannoteModelConfig(segmentation),
            num_threads=2,
        ),
        embedding=sherpa_onnx.SpeakerEmbeddingExtractorConfig(model=embedding, num_threads=2),
        clustering=sherpa_onnx.FastClusteringConfig(num_clusters=-1, threshold=threshold),
    )
    diarizer = sherpa_onnx.OfflineSpeakerDiarization(config)
    found = {}
    for path in files:
        samples, _ = soundfile.read(path, dtype="float32")
        began = time.perf_counter()
        segments = diarizer.process(samples).sort_by_start_time()
        turns = [(s.start, s.end, str(s.speaker)) for s in segments]
        found[path] = {"turns": turns, "seconds": time.perf_counter() - began}
    return found


if __name__ == "__main__":
    kind, *rest = sys.argv[1:]
    if kind == "faster-whisper":
        print(json.dumps(faster_whisper(rest[0], rest[1:])))
    else:
        print(json.dumps(sherpa(rest[0], rest[1], float(rest[2]), rest[3:])))
