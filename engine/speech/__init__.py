"""From samples to utterances: voice activity, words, speakers, sound. One stage a module."""
