import Base
import Testing

@Suite struct LoopbackTests {
    @Test(
        "This machine, by name or address",
        arguments: ["localhost", "LocalHost", "::1", "[::1]", "127.0.0.1", "127.255.0.9"])
    func here(host: String) {
        #expect(isLoopback(host: host))
    }

    /// What a name server may answer for, and spellings that one reader takes for an address and another for a name.
    @Test(
        "What isn't this machine, or only for some readers",
        arguments: [
            "", "example.org", "localhost.example.org", "localhost.", "127.0.0.1.example.org", "127.0.0.1.", "127.1",
            "127",
            "127.000.0.01", "127.+0.0.+1", "127.0.0.-1", "127.0.0.256", "127.0.0.1000", "0127.0.0.1", "0x7f.0.0.1",
            "127.0.0.١", "128.0.0.1", "10.127.0.1", "0.0.0.0", "::", "[::1", "::1]", "::127.0.0.1", "[::2]",
            " localhost",
            "127.0.0.1:80", "127..0.1",
        ])
    func elsewhere(host: String) {
        #expect(!isLoopback(host: host))
    }
}
