"""Replays a dependency graph: events with a duration on resources that do one thing at a time. Knows nothing of GPUs and networks."""


class Event:
    """Something that takes time. kind: what the time counts as. cause: the event whose end decided the start, None at the beginning."""
    __slots__ = ("start", "end", "kind", "cause")

    def __init__(self, start, end, kind, cause):
        self.start, self.end, self.kind, self.cause = start, end, kind, cause


class Replay:
    """Events are added in the order in which their resource takes them, each after those that it waits for."""

    def __init__(self):
        self.last = {}  # resource: its last event

    def add(self, resource, us, kind, after=()):
        """An event on a resource, at the end of what it waits for. Without a resource (None) any number happen at a time."""
        waits = [event for event in after if event is not None]
        if resource in self.last:
            waits.append(self.last[resource])
        cause = max(waits, key=lambda event: event.end, default=None)
        start = cause.end if cause else 0.0
        event = Event(start, start + us, kind, cause)
        if resource is not None:
            self.last[resource] = event
        return event


def parts(first, last):
    """The time from the end of an event to that of another on the critical path of the latter, by kind."""
    found, event = {}, last
    while event is not None and event.end > first.end:
        found[event.kind] = found.get(event.kind, 0.0) + event.end - max(event.start, first.end)
        event = event.cause
    return found
