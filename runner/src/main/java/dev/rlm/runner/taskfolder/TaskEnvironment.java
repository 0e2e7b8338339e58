package dev.rlm.runner.taskfolder;

import dev.rlm.episodes.Action;
import dev.rlm.episodes.Answer;
import dev.rlm.episodes.Environment;
import dev.rlm.episodes.ToolSpec;
import dev.rlm.json.Json;
import dev.rlm.runner.sandbox.CodeBlocks;
import dev.rlm.runner.sandbox.WorkFolder;
import dev.rlm.sinks.Span;
import dev.rlm.sinks.Step;
import dev.rlm.sinks.ToolCall;
import dev.rlm.sinks.event.RunStatus;
import java.io.IOException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * An environment with a shell in a work folder. The agent runs command lines as often as it likes, and ends by a submission or when the
 * task's time is over; then the task's verifier looks at the folder, and gives the reward.
 */
public final class TaskEnvironment implements Environment {
    /** The action that runs a command line. */
    public static final String BASH = "bash";

    /** The action that ends the episode. */
    public static final String SUBMIT = "submit";

    private static final String LATE = "the task's time is over";
    private static final List<ToolSpec> TOOLS = List.of(
            ToolSpec.ofText(
                    BASH,
                    "Runs a command line in the work folder. Shows its output and its exit code. Files stay for the next call.",
                    "command"),
            ToolSpec.ofText(SUBMIT, "Says that the task is done, and ends the episode.", "answer"));

    private final TaskFolder task;
    private final TaskSandbox sandbox;
    private final Map<String, Double> metrics = new LinkedHashMap<>();
    private long begun;

    TaskEnvironment(TaskFolder task, TaskSandbox sandbox) {
        this.task = task;
        this.sandbox = sandbox;
    }

    @Override
    public String start() {
        begun = System.nanoTime();
        return task.task();
    }

    @Override
    public String instructions() {
        return "Do the task with command lines, in the folder " + sandbox.workdir()
                + ". To run one, call the tool bash, or"
                + " write it in a block that begins with ```bash and ends with ```; you are shown its output and its exit"
                + " code. Each command has a shell of its own that begins in that folder: files stay, variables do not, and"
                + " programs in the background may be ended. There is no network. When the task is done, submit a few words"
                + " without a block.";
    }

    @Override
    public List<ToolSpec> tools() {
        return TOOLS;
    }

    @Override
    public Action understand(String words) {
        return CodeBlocks.SHELL
                .in(words)
                .map(command -> new Action(BASH, command))
                .orElseGet(() -> new Action(SUBMIT, words));
    }

    @Override
    public Answer step(Action action, Step step) throws IOException, InterruptedException {
        return switch (action.type()) {
            case BASH -> run(action, step);
            case SUBMIT -> verified(new Answer("", null, null, 0, true), step);
            default -> throw new IllegalArgumentException("task-folder knows no action '" + action.type() + "'");
        };
    }

    private Answer run(Action action, Step step) throws IOException, InterruptedException {
        if (isLate()) {
            return verified(new Answer("", LATE, null, 0, true), step);
        }
        Answer answer;
        try (ToolCall call = step.startToolCall(BASH)) {
            call.arguments(Json.text(Map.of("command", action.code()))).callId(action.callId());
            CommandResult result = run(action.code(), call);
            call.result(result.output());
            String error = result.error();
            if (error != null) {
                call.fail(result.status(), error);
            }
            answer = new Answer(result.output(), error, null, 1, false);
        }
        return isLate() ? verified(new Answer(answer.observation(), LATE, null, 1, true), step) : answer;
    }

    private CommandResult run(String command, ToolCall call) throws IOException, InterruptedException {
        try {
            return sandbox.run(command);
        } catch (InterruptedException e) {
            call.fail(RunStatus.CANCELLED, "interrupted");
            throw e;
        } catch (IOException e) {
            call.fail(RunStatus.INTERNAL, e.toString());
            throw e;
        }
    }

    private boolean isLate() {
        Duration time = task.agentTime();
        return time != null && System.nanoTime() - begun > time.toNanos();
    }

    @Override
    public Answer cutOff(Answer last, Step step) throws InterruptedException {
        return verified(last, step);
    }

    /** Adds the verifier's output and the reward to the last answer. */
    private Answer verified(Answer last, Step step) throws InterruptedException {
        VerifierVerdict verdict;
        String output;
        try (Span span = step.span("verifier");
                WorkFolder logs = WorkFolder.create("rlm-verifier-")) {
            CommandResult result = sandbox.verify(logs.path());
            verdict = VerifierVerdict.of(result, logs.path());
            output = result.output();
            if (verdict.absence() != null) {
                span.fail(verdict.absence());
            }
        } catch (IOException e) {
            verdict = VerifierVerdict.absent("the verifier could not be started: " + e.getMessage());
            output = "";
        }
        verdict.numbers().forEach((name, number) -> metrics.put("verifier." + name, number));
        String error = verdict.absence() == null ? last.error() : verdict.absence();
        String before = last.output().isEmpty() || last.output().endsWith("\n") ? last.output() : last.output() + "\n";
        return new Answer(before + output, error, verdict.reward(), last.toolCalls(), true);
    }

    @Override
    public Map<String, Double> metrics() {
        return metrics;
    }

    @Override
    public void close() {
        sandbox.close();
    }
}
