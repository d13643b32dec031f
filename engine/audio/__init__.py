"""Sound in: decoding files to one timeline, devices, recording."""
