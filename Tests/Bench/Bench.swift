import Base
import Glibc

/// `make bench`: one line of JSON for each thing that can get slower. An argument picks the cases whose name holds it.
@main enum Bench {
    static func main() async {
        let measure = Measure(filter: CommandLine.arguments.dropFirst().first ?? "")
        WireCases.run(measure)
        LimiterCases.run(measure)
        GiphyCases.run(measure)
        FolderCases.run(measure)
        await BudgetCases.run(measure)
        await PipelineCases.run(measure)
    }
}
