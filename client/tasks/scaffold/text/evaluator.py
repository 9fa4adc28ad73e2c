"""Judges a text of instructions: the share of the things that it must name, less a thousandth for each word."""

NEEDED = ["date", "amount", "currency", "sender", "JSON"]


def evaluate(text):
    missing = [word for word in NEEDED if word.lower() not in text.lower()]
    return {"score": 1 - len(missing) / len(NEEDED) - len(text.split()) / 1000, "missing": ", ".join(missing) or "nothing"}
