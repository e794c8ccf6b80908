"""Who may do what: users, the corpora they may see, API keys, and the log of changes."""
