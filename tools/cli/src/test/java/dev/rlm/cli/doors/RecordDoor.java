package dev.rlm.cli.doors;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rlm.cli.testkit.Cli;
import dev.rlm.cli.testkit.RunningCli;
import dev.rlm.journal.JournalJson;
import dev.rlm.json.Json;
import dev.rlm.sinks.SinkConfig;
import dev.rlm.sinks.Sinks;
import dev.rlm.sinks.event.ArtifactSaved;
import dev.rlm.sinks.event.EventType;
import dev.rlm.sinks.event.Outcome;
import dev.rlm.sinks.event.RunEnded;
import dev.rlm.sinks.event.RunEvent;
import dev.rlm.sinks.event.RunStatus;
import dev.rlm.sinks.event.StepEnded;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import tools.jackson.databind.node.ObjectNode;

/** Records runs by {@code rlm record}, as a program of another language does that says nothing that follows. */
final class RecordDoor {
    private static final String TOKEN = "0123456789abcdef0123";
    private static final Map<EventType, Set<String>> FOLLOWS = Map.of(
            EventType.STEP_ENDED,
            Set.of("start_seq", "parent_step", "reward", "cumulative_reward", "success"),
            EventType.HEARTBEAT,
            Set.of("steps", "total_reward", "status"),
            EventType.RUN_ENDED,
            Set.of("steps", "total_reward", "absent_rewards", "rewards", "solved", "run_path"));

    private static final Set<EventType> IN_STEPS = Set.of(
            EventType.MODEL_CALLED,
            EventType.TOOL_CALLED,
            EventType.REWARD_GIVEN,
            EventType.SPAN_RECORDED,
            EventType.ARTIFACT_SAVED);

    private RecordDoor() {}

    /** Records the runs into a journal through standard input; a run that was abandoned, and a step that was open, is told no end. */
    static void pipe(List<List<RunEvent>> runs, Path journal) {
        byte[] lines = lines(runs).getBytes(StandardCharsets.UTF_8);
        Cli record = Cli.with(variables(journal), new ByteArrayInputStream(lines), "record");
        assertAccepted(record.out());
    }

    /** The same through HTTP. */
    static void http(List<List<RunEvent>> runs, Path journal) throws IOException, InterruptedException {
        try (RunningCli rlm = RunningCli.start(journal, variables(journal), "record", "--port", "0")) {
            HttpRequest request = HttpRequest.newBuilder(URI.create(rlm.awaitUrl() + "/v1/events"))
                    .header("Authorization", "Bearer " + TOKEN)
                    .header("Content-Type", "application/x-ndjson")
                    .POST(HttpRequest.BodyPublishers.ofString(lines(runs)))
                    .build();
            assertAccepted(HttpClient.newHttpClient()
                    .send(request, HttpResponse.BodyHandlers.ofString())
                    .body());
        }
    }

    /** The same by a hub here whose one sink sends them there. */
    static void forward(List<List<RunEvent>> runs, Path journal) throws IOException, InterruptedException {
        try (RunningCli rlm = RunningCli.start(journal, variables(journal), "record", "--port", "0")) {
            Map<String, String> to =
                    Map.of("RLM_RECORD_ENABLED", "true", "RLM_RECORD_URL", rlm.awaitUrl(), "RLM_RECORD_TOKEN", TOKEN);
            HandlesDoor.record(runs, Sinks.builder().config(SinkConfig.of(to)).only(List.of("record")));
        }
    }

    /** The same by the Python package, from a process of its own. */
    static void python(List<List<RunEvent>> runs, Path journal) throws IOException, InterruptedException {
        Path script = Path.of("src", "test", "resources", "dev", "rlm", "cli", "doors", "tell.py");
        try (RunningCli rlm = RunningCli.start(journal, variables(journal), "record", "--port", "0")) {
            ProcessBuilder python = new ProcessBuilder("python3", script.toString()).redirectErrorStream(true);
            python.environment()
                    .put("PYTHONPATH", Path.of("..", "..", "python", "src").toString());
            python.environment().put("RLM_RECORD_URL", rlm.awaitUrl());
            python.environment().put("RLM_RECORD_TOKEN", TOKEN);
            Process process = python.start();
            try (OutputStream in = process.getOutputStream()) {
                in.write(lines(runs).getBytes(StandardCharsets.UTF_8));
            }
            String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertThat(process.waitFor()).as(said).isZero();
        }
    }

    private static Map<String, String> variables(Path journal) {
        return Map.of("RLM_JSONL_DIR", journal.toString(), "RLM_RECORD_TOKEN", TOKEN);
    }

    private static void assertAccepted(String answers) {
        assertThat(answers.lines()).isNotEmpty().allMatch(line -> line.contains("\"ok\":true,\"synced\":true"));
    }

    private static String lines(List<List<RunEvent>> runs) {
        return runs.stream()
                .flatMap(List::stream)
                .filter(event -> !(event instanceof RunEnded end && end.outcome() == Outcome.ABANDONED))
                .filter(event -> !(event instanceof StepEnded end && StepEnded.ABORTED.equals(end.errorType())))
                .map(RecordDoor::line)
                .collect(Collectors.joining("\n"));
    }

    private static String line(RunEvent event) {
        ObjectNode line = Json.RECORD.object(JournalJson.event(event));
        line.remove("seq");
        if (IN_STEPS.contains(event.type()) && event.step() == RunEvent.NO_STEP) {
            line.put("step", RunEvent.NO_STEP); // also while a step is open
        }
        line.remove(FOLLOWS.getOrDefault(event.type(), Set.of()));
        if (event instanceof RunEnded end && follows(end)) {
            line.remove("status");
        } else if (event instanceof ArtifactSaved file && file.content() != null) {
            byte[] bytes = new byte[file.content().weight()];
            file.content().bytes().get(bytes);
            line.put("content", Base64.getEncoder().encodeToString(bytes));
        }
        return Json.text(line);
    }

    private static boolean follows(RunEnded end) {
        return switch (end.outcome()) {
            case COMPLETED -> true;
            case FAILED -> end.status().code() == RunStatus.INTERNAL;
            case ABORTED, ABANDONED -> false;
        };
    }
}
