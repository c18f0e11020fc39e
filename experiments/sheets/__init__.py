"""Sheets to print: consent, debrief, code cards, receipts, checklists, keys."""
