"""Proof trees for Coq: written down rule by rule, and judged by its kernel, which none of us wrote."""
