package dev.rlm.benchmarks.fault;

import dev.rlm.benchmarks.Machine;
import dev.rlm.benchmarks.TemporaryFolder;
import dev.rlm.benchmarks.fault.Comparison.Result;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** The command that measures by how much a sink that misbehaves slows the runner down: the target is below 1 %. */
@Command(
        name = "fault-cost",
        description = "Measures by how much a sink that misbehaves slows the runner down.",
        mixinStandardHelpOptions = true)
public final class FaultCost implements Callable<Integer> {
    private static final int QUICK = 20;

    @Spec
    @SuppressWarnings("NullAway.Init") // set before call()
    private CommandSpec spec;

    @Option(
            names = "--pairs",
            paramLabel = "N",
            description = "How many pairs of blocks to measure (${DEFAULT-VALUE}).")
    private int pairs = 150;

    @Option(names = "--quick", description = "Few pairs: rough figures.")
    private boolean quick;

    @Option(names = "--json", description = "Print one JSON object and nothing else.")
    private boolean json;

    @Option(
            names = "--fault",
            paramLabel = "NAME",
            converter = FaultLabel.class,
            description = "This fault only; may be repeated.")
    private List<Misbehaviour> faults = List.of(Misbehaviour.values());

    @Option(
            names = "--workload",
            paramLabel = "NAME",
            converter = WorkloadLabel.class,
            description = "This workload only; may be repeated.")
    private List<Workload> workloads = List.of(Workload.values());

    private FaultCost() {}

    @Override
    public Integer call() throws Exception {
        PrintWriter out = spec.commandLine().getOut();
        PrintWriter progress = spec.commandLine().getErr();
        List<Result> results = new ArrayList<>();
        try (TemporaryFolder folder = TemporaryFolder.create("fault-cost")) {
            for (Workload workload : workloads) {
                for (Misbehaviour fault : faults) {
                    progress.println(workload + ", " + fault);
                    Path place = folder.path().resolve(workload + "-" + fault);
                    results.add(Comparison.measure(workload, fault, quick ? QUICK : pairs, place));
                }
            }
        }
        FaultReport report = new FaultReport(Machine.line(), results);
        if (json) {
            report.printJson(out);
        } else {
            report.print(out);
        }
        return 0;
    }
}
