"""The one place where the order of work is written. LangGraph lives here only."""
