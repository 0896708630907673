"""Certify over many questions: one frozen configuration, an attempt per question, all on record.

A question's way through this package:

1. ``actions.start_run`` writes a row for each attempt, and workers are told that they wait;
2. ``tasks`` claims one, with a token and a lease (``leases``);
3. ``gateway`` makes the engine's reader and retriever as the run's configuration says
   (``rules``), and lets it search. What a model is asked goes through ``calls``, which buys no
   answer twice; who ranks by vectors waits for them (``vectors``);
4. ``actions.finish`` ends the attempt in one transaction with all that was found. A
   certificate becomes a proposed evidence set, of the sentences that ``excerpts`` picks;
5. in a run with twins a further attempt asks the question over a corpus that lost one of its
   facts (``twins``), and proposes nothing.

``queries``, ``spending``, ``lengths``, ``summary`` and ``estimate`` read what came of it;
``pages`` arranges that for people.
"""
