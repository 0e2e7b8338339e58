package dev.rlm.sinks.otel;

import dev.rlm.sinks.Run;
import dev.rlm.sinks.RunSpec;
import dev.rlm.sinks.SinkStatus;
import dev.rlm.sinks.Sinks;
import dev.rlm.sinks.Step;
import java.time.Duration;

/** A program that records a run, whatever its class path lacks. Run by {@link MissingLibraryTest}. */
final class MissingLibraryProgram {
    private MissingLibraryProgram() {}

    @SuppressWarnings("SystemOut") // what it has to say
    public static void main(String[] args) {
        try (Sinks sinks = Sinks.fromEnvironment()) {
            try (Run run = sinks.startRun(RunSpec.builder("calc").build())) {
                try (Step step = run.startStep()) {
                    step.complete("");
                }
                run.complete("");
            }
            boolean arrived = sinks.flush(Duration.ofSeconds(20)).isComplete();
            for (SinkStatus status : sinks.statuses()) {
                System.out.println(status.name() + " enabled=" + status.enabled() + " available=" + status.available()
                        + " arrived=" + arrived + ": " + status.detail());
            }
        }
        System.out.println("the run is over");
    }
}
