import Base
import Glibc

/// `make bench`: one line of JSON for each thing that can get slower.
@main enum Bench {
    static func main() async {
        let measure = Measure()
        WireCases.run(measure)
        LimiterCases.run(measure)
        GiphyCases.run(measure)
        await PipelineCases.run(measure)
    }
}
