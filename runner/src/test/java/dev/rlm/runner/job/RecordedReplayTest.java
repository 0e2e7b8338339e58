package dev.rlm.runner.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.rlm.cli.testkit.Cli;
import dev.rlm.cli.testkit.KeptSinkProvider;
import dev.rlm.sinks.event.Message;
import dev.rlm.sinks.event.ModelCalled;
import dev.rlm.sinks.event.Outcome;
import dev.rlm.sinks.event.RunEnded;
import dev.rlm.sinks.event.StepEnded;
import dev.rlm.sinks.event.ToolCalled;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Replays solutions with all the irregularities that real ones have. */
class RecordedReplayTest {
    @TempDir
    private Path folder;

    private Path file;

    @BeforeEach
    void writeSolutions() throws IOException {
        file = folder.resolve("recorded.jsonl");
        Files.writeString(file, """
                {"question": "Two and three, doubled?", "ground_truth": "<<2+3=5>>5\\n<<5*2=10>>10\\nA: 10", \
                "large": {"is_correct": true, "solution": "First <<2+3=5>>5.\\nThen <<5*2=11>>11.\\nA: 10.0"}, \
                "small": {"is_correct": false, "solution": "I set <<X*2=10>>X and <<83.3>> so <<2+3=5 and\\nA: 1/5"}}
                {"question": "A thousand?", "ground_truth": "A: 1,000", \
                "large": {"is_correct": true, "solution": "A: $1000"}, \
                "small": {"is_correct": false, "solution": "It goes on and on <<1+"}}
                """);
    }

    private Cli replay(String... options) {
        String[] arguments = new String[options.length + 5];
        System.arraycopy(
                new String[] {"run", "--policy", "recorded", "--dataset", file.toString()}, 0, arguments, 0, 5);
        System.arraycopy(options, 0, arguments, 5, options.length);
        return Cli.run(arguments);
    }

    @Test
    void everySolution_isACompletedRunOfItsModel() {
        Cli run = replay("--json");

        assertThat(run.err()).isEmpty();
        assertThat(run.out())
                .startsWith("{\"runs\":4,\"completed\":4,\"failed\":0,\"aborted\":0,\"solved\":2,\"steps\":8,"
                        + "\"tool_calls\":4,\"total_reward\":2.0,\"mean_reward\":0.5,")
                .contains("{\"model\":\"large\",\"runs\":2,\"completed\":2,\"failed\":0,\"aborted\":0,\"solved\":2,")
                .contains("{\"model\":\"small\",\"runs\":2,\"completed\":2,\"failed\":0,\"aborted\":0,\"solved\":0,");
        assertThat(KeptSinkProvider.events(RunEnded.class))
                .extracting(
                        end -> end.run().correlation().sample(),
                        end -> end.run().correlation().trajectoryIndex(),
                        end -> end.run().model(),
                        RunEnded::solved,
                        RunEnded::outcome)
                .containsExactlyInAnyOrder(
                        tuple("recorded-1", 0, "large", true, Outcome.COMPLETED),
                        tuple("recorded-1", 1, "small", false, Outcome.COMPLETED),
                        tuple("recorded-2", 0, "large", true, Outcome.COMPLETED),
                        tuple("recorded-2", 1, "small", false, Outcome.COMPLETED));
    }

    @Test
    void calculator_answersForItself() {
        replay("--sample-id", "recorded-1", "--model", "large");

        List<StepEnded> steps = KeptSinkProvider.events(StepEnded.class);
        assertThat(steps)
                .extracting(
                        StepEnded::actionType,
                        step -> step.code().text(),
                        step -> step.output().text())
                .containsExactly(
                        tuple("calculator", "2+3", "5"),
                        tuple("calculator", "5*2", "10"),
                        tuple("submit", "10.0", "right"));
        assertThat(steps).extracting(StepEnded::tags).containsExactly(Map.of(), Map.of("model_result", "11"), Map.of());
    }

    @Test
    void callThatIsNoArithmetic_isAFailedCallAndACallWithoutResultIsACall() {
        replay("--sample-id", "recorded-1", "--model", "small");

        assertThat(KeptSinkProvider.events(ToolCalled.class))
                .extracting(call -> call.arguments().text(), ToolCalled::failed)
                .containsExactly(tuple("{\"expression\":\"X*2\"}", true), tuple("{\"expression\":\"83.3\"}", false));
        List<StepEnded> steps = KeptSinkProvider.events(StepEnded.class);
        assertThat(steps).extracting(StepEnded::success).containsExactly(false, true, true);
        assertThat(steps).extracting(StepEnded::reward).containsExactly(0.0, 0.0, 0.0);
        assertThat(steps.get(2).code().text()).isEqualTo("1/5");
    }

    @Test
    void solutionWithoutAnswer_submitsNothing() {
        replay("--sample-id", "recorded-2", "--model", "small");

        assertThat(KeptSinkProvider.events(StepEnded.class)).singleElement().satisfies(step -> {
            assertThat(step.actionType()).isEqualTo("submit");
            assertThat(step.code().text()).isEmpty();
            assertThat(step.output().text()).isEqualTo("wrong");
        });
    }

    @Test
    void turn_isACallOfTheModelThatSeesAllThatCameBefore() {
        replay("--sample-id", "recorded-1", "--model", "large");

        List<ModelCalled> calls = KeptSinkProvider.events(ModelCalled.class);
        assertThat(calls).extracting(ModelCalled::provider).containsOnly("recorded");
        assertThat(calls).extracting(ModelCalled::model).containsOnly("large");
        assertThat(calls).extracting(ModelCalled::finishReason).containsExactly("tool_calls", "tool_calls", "stop");
        assertThat(calls)
                .extracting(ModelCalled::reply)
                .extracting(reply -> reply == null ? "" : reply.content().text())
                .containsExactly("First <<2+3=5>>", "5.\nThen <<5*2=11>>", "11.\nA: 10.0");
        assertThat(calls.get(2).messages())
                .extracting(Message::role, message -> message.content().text(), Message::toolCallId)
                .containsExactly(
                        tuple("user", "Two and three, doubled?", null),
                        tuple("assistant", "First <<2+3=5>>", null),
                        tuple("tool", "5", "call-1"),
                        tuple("assistant", "5.\nThen <<5*2=11>>", null),
                        tuple("tool", "10", "call-2"));
        assertThat(KeptSinkProvider.events(ToolCalled.class))
                .extracting(ToolCalled::callId)
                .containsExactly("call-1", "call-2");
    }

    @Test
    void rollouts_andLimit_countSamples() {
        assertThat(replay("--limit", "1", "--rollouts", "3", "--json").out()).startsWith("{\"runs\":6,");
        assertThat(KeptSinkProvider.events(RunEnded.class))
                .extracting(end -> end.run().correlation().trajectoryIndex())
                .containsExactlyInAnyOrder(0, 1, 2, 3, 4, 5);
    }

    @Test
    void dataSet_isForTheScriptedPolicyToo() {
        Cli run = Cli.run("run", "--dataset", file.toString(), "--error-rate", "0", "--json");

        assertThat(run.out()).startsWith("{\"runs\":2,\"completed\":2,").contains("\"solved\":2,\"steps\":4,");
    }
}
