"""Claims with known truth, made without end from a seed: false ones that look true, and their true relatives.

``truth`` evaluates a formula at a point, apart from the engine; ``claims`` is a claim with its witness;
``sharp``, ``growth``, ``corners``, ``movement`` and ``grown`` make them; ``running`` asks the engine;
``trees`` grows proofs of false claims; ``found`` holds those that were once proved; ``forging`` mutates
certificates.
"""
