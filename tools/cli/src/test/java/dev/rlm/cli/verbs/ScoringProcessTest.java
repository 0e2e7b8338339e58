package dev.rlm.cli.verbs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rlm.cli.launcher.RlmProcess;
import dev.rlm.cli.testkit.Cli;
import dev.rlm.journal.Journal;
import dev.rlm.sinks.event.RewardGiven;
import dev.rlm.sinks.testkit.chat.ChatAnswer;
import dev.rlm.sinks.testkit.chat.ChatServer;
import dev.rlm.sinks.testkit.fault.Gate;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code rlm rescore} and {@code rlm label} as processes that are ended while they give scores. */
@Timeout(240)
@EnabledOnOs(OS.LINUX)
class ScoringProcessTest {
    @TempDir
    private Path folder;

    @Tag("thorough")
    @ParameterizedTest
    @ValueSource(strings = {"KILL", "INT"})
    void processThatIsEnded_isGoneOnWithWhereItStopped(String signal) throws Exception {
        record(30);
        Path rubric = Files.writeString(folder.resolve("rubric.txt"), "Full marks for the sum.\n");
        ChatAnswer judgement = ChatAnswer.text("I think {so}.\n{\"reason\": \"fine\", \"score\": 1}");
        AtomicInteger asked = new AtomicInteger();
        Gate gate = new Gate();
        try (ChatServer server = ChatServer.start()) {
            server.answers(request -> asked.incrementAndGet() <= 12 ? judgement : judgement.stallEarly(gate));
            String[] rescore = {
                "rescore", "--judge", server.baseUrl(), "m", "--rubric", rubric.toString(), "--version", "1"
            };
            int kept;
            try (RlmProcess process = start(with(rescore, "--parallel", "2"))) {
                process.await(() -> asked.get() > 12 && scored("score:judge@1").size() >= 10);
                process.signal(signal);
                assertThat(process.process().waitFor(60, TimeUnit.SECONDS)).isTrue();
                if (signal.equals("INT")) {
                    assertThat(process.process().exitValue()).isEqualTo(130);
                    assertThat(process.err()).contains("interrupted: ", " of 30 runs", "the same command goes on");
                }
                kept = scored("score:judge@1").size();
            }
            gate.open();
            Cli rest = rlm(with(rescore, "--json"));

            assertThat(rest.exitCode()).as(rest.err()).isZero();
            assertThat(rest.out()).contains("\"skipped\":" + kept + ",", "\"scored\":" + (30 - kept) + ",");
            assertThat(scored("score:judge@1")).hasSize(30).doesNotHaveDuplicates();
        } finally {
            gate.open();
        }
    }

    @Test
    void signal_endsIt_andKeepsWhatWasSaid() throws Exception {
        record(4);
        String shown;
        try (RlmProcess process = start("label")) {
            OutputStream in = process.process().getOutputStream();
            in.write("y\n".getBytes(StandardCharsets.UTF_8));
            in.flush();
            process.await(() -> process.out().contains("run 2 of 4"));
            process.signal("INT");
            assertThat(process.process().waitFor(60, TimeUnit.SECONDS)).isTrue();
            assertThat(process.process().exitValue()).isEqualTo(130);
            shown = process.out();
        }
        assertThat(scored("score:label@1"))
                .singleElement()
                .satisfies(run -> assertThat(shown).contains("run 1 of 4  " + run));
    }

    /** Records so many runs, all solved and of a sample each. */
    private void record(int runs) {
        Cli run = rlm("run", "--samples", String.valueOf(runs), "--rollouts", "1", "--error-rate", "0", "--quiet");
        assertThat(run.exitCode()).as(run.err()).isZero();
    }

    /** The runs that have a score of that source, once for each that they have. */
    private List<String> scored(String source) {
        List<String> scored = new ArrayList<>();
        Journal journal = Journal.open(folder.resolve(".rlm"));
        journal.read(
                journal.runs(),
                (run, events) -> events.stream()
                        .filter(RewardGiven.class::isInstance)
                        .map(RewardGiven.class::cast)
                        .filter(reward -> reward.source().equals(source))
                        .forEach(reward -> scored.add(run.runId())));
        return scored;
    }

    private RlmProcess start(String... arguments) throws Exception {
        return RlmProcess.start(folder, Map.of("RLM_JOURNAL_INDEX", "none"), arguments);
    }

    private Cli rlm(String... arguments) {
        return Cli.with(
                Map.of("RLM_JSONL_DIR", folder.resolve(".rlm").toString(), "RLM_JOURNAL_INDEX", "none"), arguments);
    }

    private static String[] with(String[] arguments, String... more) {
        return Stream.of(arguments, more).flatMap(Stream::of).toArray(String[]::new);
    }
}
