"""From samples to utterances: voice activity, words, speakers, measured sound. One stage a module."""
