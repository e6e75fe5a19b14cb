"""Answers, tables, reviews and figures for people and programs."""
