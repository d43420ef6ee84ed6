import Testing

/// Everything that needs the built program and real servers. One after the other: they share the servers.
@Suite(.serialized) enum EndToEnd {}
