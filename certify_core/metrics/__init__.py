"""What runs, outputs and certificates are measured by. Every rate carries its counts.

Metrics named by others compute what their authors' code computes, faults included, and say
so; the same question asked properly has a name of its own beside it.
"""
