//! The sceptic: judges released bytes by itself and shares no code with what wrote them.
