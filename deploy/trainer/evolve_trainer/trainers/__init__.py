"""Trainers that other people wrote, each behind the methods of `Trainer`."""
