package dev.rlm.runs.exchange;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rlm.cli.testkit.Cli;
import dev.rlm.journal.RunState;
import dev.rlm.journal.RunSummary;
import dev.rlm.sinks.event.Message;
import dev.rlm.sinks.event.ModelCalled;
import dev.rlm.sinks.event.StepEnded;
import dev.rlm.sinks.event.ToolCalled;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Runs that {@code rlm import --format swe-agent} makes of trajectories of SWE-agent. */
@Timeout(180)
class SweAgentImportTest {
    static final String CALLING = """
            {"environment": "main",
             "trajectory": [
              {"action": "open a.py", "observation": "1: x", "response": "I look.", "thought": "I look.",
               "execution_time": 0.25, "state": {"open_file": "a.py"}, "extra_info": {"k": 1},
               "query": [{"role": "system", "content": "Fix it.", "agent": "main"}, {"role": "user", "content": "Bug!"}]},
              {"action": "", "observation": "", "response": "no action", "thought": "no action",
               "execution_time": 0, "state": {}, "extra_info": {}, "query": [{}]},
              {"action": "submit", "observation": "diff --git a", "response": "Done.", "thought": "Done.",
               "execution_time": 1.5, "state": {}, "extra_info": {}, "query": []}],
             "history": [
              {"role": "system", "content": "Fix it.", "agent": "main", "message_type": "system_prompt"},
              {"role": "user", "content": "See how it is done.", "is_demo": true, "agent": "main"},
              {"role": "user", "content": "Bug!", "agent": "main", "message_type": "observation"},
              {"role": "assistant", "content": "I look.", "thought": "I look.", "action": "open a.py",
               "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "open", "arguments": "{\\"p\\":1}"}}]},
              {"role": "tool", "content": "1: x\\n(Open file: a.py)", "tool_call_ids": ["c1"]},
              {"role": "assistant", "content": "Done.", "action": "submit", "tool_calls": null}],
             "info": {"exit_status": "submitted (exit_cost)", "submission": "diff --git a",
              "swe_agent_version": "1.1.0", "edited_files30": "a.py",
              "model_stats": {"instance_cost": 0.5, "tokens_sent": 100, "tokens_received": 20, "api_calls": 3}},
             "replay_config": "{\\"agent\\": {\\"model\\": {\\"name\\": \\"gpt\\"}}, \\"problem_statement\\": {\\"id\\": \\"org__repo-1\\"}}"}
            """;

    @TempDir
    private Path folder;

    private Imports imports;

    @BeforeEach
    void chooseJournal() {
        imports = new Imports(folder, "swe-agent");
    }

    @Test
    void trajectory_isARun() throws IOException {
        Path file = imports.write("a.traj", CALLING);
        Cli imported = imports.whole(file);

        assertThat(imported.err().lines())
                .containsExactly("warning: \"trajectory[].extra_info\" is not known and was not taken over, in 1 line");
        RunSummary run = imports.sample("org__repo-1");
        assertThat(run.run().model()).isEqualTo("gpt");
        assertThat(run.run().agent()).isEqualTo("SWE-agent");
        assertThat(run.run().agentVersion()).isEqualTo("1.1.0");
        assertThat(run.run().environment()).isEqualTo("main");
        assertThat(run.run().tags()).containsEntry("import.times", "made_up");
        assertThat(run.run().params().toString()).contains("edited_files30=a.py", "name=gpt");
        assertThat(imports.start(run).run().task()).hasToString("Bug!");
        assertThat(run.state()).isEqualTo(RunState.COMPLETED);
        assertThat(imports.end(run).terminationReason()).isEqualTo("submitted (exit_cost)");
        assertThat(imports.end(run).truncated()).isTrue();
        assertThat(imports.end(run).finalAnswer()).hasToString("diff --git a");
        assertThat(imports.end(run).metrics())
                .isEqualTo(
                        Map.of("instance_cost", 0.5, "tokens_sent", 100.0, "tokens_received", 20.0, "api_calls", 3.0));
        assertThat(imports.whole(file).out()).contains("imported 0 runs\n", "left out 1 run known already");
    }

    @Test
    void steps_haveActionsCallsAndObservations() throws IOException {
        imports.whole(imports.write("a.traj", CALLING));

        RunSummary run = imports.runs().get(0);
        List<StepEnded> steps = imports.events(run, StepEnded.class);
        assertThat(steps).extracting(StepEnded::actionType).containsExactly("open", "", "command");
        assertThat(steps).extracting(step -> step.code().text()).containsExactly("open a.py", "", "submit");
        assertThat(steps).extracting(step -> step.output().text()).containsExactly("1: x", "", "diff --git a");
        assertThat(steps.get(0).tags()).isEqualTo(Map.of("execution_time", "PT0.25S", "state.open_file", "a.py"));
        List<ModelCalled> calls = imports.events(run, ModelCalled.class);
        assertThat(calls.get(0).messages()).extracting(Message::role).containsExactly("system", "user");
        assertThat(calls.get(2).messages())
                .extracting(Message::role)
                .containsExactly("system", "user", "user", "assistant", "tool");
        assertThat(imports.events(run, ToolCalled.class))
                .extracting(call -> call.tool() + call.arguments() + call.result())
                .containsExactly("open{\"p\":1}1: x");
        assertThat(imports.report().get("steps").asInt()).isEqualTo(3);
        assertThat(imports.report().get("runs_without_times").asInt()).isEqualTo(1);
        assertThat(imports.report().get("unrewarded_runs").asInt()).isEqualTo(1);
    }

    @ParameterizedTest
    @CsvSource({
        "submitted,COMPLETED,false",
        "exit_context,COMPLETED,true",
        "submitted (exit_format),COMPLETED,false",
        "exit_api,FAILED,false",
        "submitted (exit_error),FAILED,false",
        ",ABANDONED,false"
    })
    void exitStatus_isTheEnd(String status, RunState state, boolean truncated) throws IOException {
        imports.whole(imports.write(
                "org__repo-7.traj",
                "{\"trajectory\":[],\"info\":{\"exit_status\":" + (status == null ? "null" : "\"" + status + "\"")
                        + "}}"));
        RunSummary run = imports.sample("org__repo-7");
        assertThat(run.state()).isEqualTo(state);
        assertThat(imports.end(run).truncated()).isEqualTo(truncated);
    }

    @Test
    void folder_isReadWithItsFolders() throws IOException {
        Files.createDirectories(folder.resolve("runs/one"));
        imports.write("runs/one/one.traj", CALLING);
        imports.write("runs/two.traj", CALLING.replace("repo-1", "repo-2"));
        imports.write("runs/preds.json", "{}");
        assertThat(imports.whole(folder.resolve("runs")).out()).startsWith("imported 2 runs\n");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"history\":[]}|\"trajectory\", a list of steps",
                "{\"trajectory\":7}|\"trajectory\" to be a list",
                "{\"trajectory\":[7]}|all of \"trajectory\" to be a JSON object",
                "{\"trajectory\":[{\"action\":[]}]}|\"action\" to be a text in trajectory[0]",
                "{\"trajectory\":[{\"execution_time\":\"long\"}]}|\"execution_time\" to be a number in trajectory[0]",
                "{\"trajectory\":[{\"query\":[{\"content\":\"x\"}]}]}|a \"role\" such as system, user",
                "{\"trajectory\":[],\"history\":[{\"content\":\"x\"}]}|in message 1 in history",
                "{\"trajectory\":[],\"info\":[]}|\"info\" to be a JSON object",
                "{\"trajectory\":[],\"info\":{\"model_stats\":{\"c\":\"x\"}}}|\"c\" to be a number",
                "{\"trajectory\":[],\"replay_config\":\"no\"}|\"replay_config\" to be a JSON object, found: ",
                "{\"trajectory\":[|a JSON object, found: ",
            })
    void badTrajectory_isToldWithWhatWasExpected(String words) throws IOException {
        String[] parts = words.split("\\|", -1);
        assertThat(imports.refused("bad.traj", parts[0])).contains("bad.traj").contains(parts[1]);
    }

    @Test
    void deepValues_areAnError() throws IOException {
        String deep = "[".repeat(100_000) + "]".repeat(100_000);
        assertThat(imports.refused("deep.traj", "{\"trajectory\":[{\"state\":" + deep + "}]}"))
                .contains("expected a JSON object, found: Document nesting depth");
    }
}
