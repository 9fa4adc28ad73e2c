"""The reference trainer: a model, its training, and the sampling of its server, small enough to be read."""
