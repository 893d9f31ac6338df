"""PersonaMem: what a user told a chatbot over many sessions, and whether it answers them accordingly."""
