"""Games as they were played: their notation, where they are kept, what each bid cost."""
