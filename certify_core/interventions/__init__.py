"""Eight controlled changes of the evidence for one claim, as values, and how to judge them.

Each says what a system is supplied with, what it may cite, and which outcome is right then.
Necessity is relative to what remains: where another complete set survives a removal, a
supported answer is right, so the survivors are always named.
"""
