"""The attack suite: a base log, and case by case what an attacker changes in it and what a verifier must say."""
