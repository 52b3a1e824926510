"""Proof trees for Coq, which decides for itself."""
