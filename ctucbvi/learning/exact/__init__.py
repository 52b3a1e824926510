"""CT-UCBVI with certified numbers, on top of the exact planner; nothing here calls the fast learner."""
