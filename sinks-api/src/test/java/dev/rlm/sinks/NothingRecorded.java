package dev.rlm.sinks;

import dev.rlm.sinks.event.Content;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** A program that records with two hubs, and prints what they say of themselves. */
final class NothingRecorded {
    private NothingRecorded() {}

    public static void main(String[] arguments) {
        try (Sinks sinks = Sinks.fromEnvironment();
                Run run = sinks.startRun(RunSpec.builder("env").build());
                Step step = run.startStep("seen");
                Scope scope = step.makeCurrent();
                ToolCall call = Activity.current().startToolCall("tool")) {
            call.result("done");
            step.reward(1.0);
            step.complete("output");
            run.complete("answer");
            Content content = sinks.content("a text that nobody has redacted");
            System.out.println(
                    "recording: " + (run.isRecording() || Activity.current().isRecording()));
            System.out.println("reward: " + sinks.reward("id", "person", 1.0, List.of()));
            System.out.println("metrics: " + sinks.metrics("trainer", Map.of("step", 1)));
            System.out.println("content: " + content.text());
            System.out.println("flushed: " + sinks.flush(Duration.ZERO).isComplete());
            sinks.statuses().forEach(status -> System.out.println(status.available() + ": " + status.detail()));
        }
        Sink sink = new Sink() {};
        try (Sinks sinks = Sinks.builder().add("own", sink).build()) {
            System.out.println("own sink: " + sinks.get("own").isPresent());
        }
    }
}
