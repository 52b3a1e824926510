"""CT-UCBVI and its baselines in doubles, compiled; nothing here calls the exact learner."""
