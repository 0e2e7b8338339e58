package dev.rlm.runner.python;

import dev.rlm.episodes.Action;
import dev.rlm.episodes.Answer;
import dev.rlm.episodes.Environment;
import dev.rlm.episodes.ToolSpec;
import dev.rlm.json.Json;
import dev.rlm.runner.demo.CalcEnvironment;
import dev.rlm.runner.demo.Problem;
import dev.rlm.runner.sandbox.CodeBlocks;
import dev.rlm.runner.sandbox.Interpreter;
import dev.rlm.runner.sandbox.SandboxReply;
import dev.rlm.runner.sandbox.SandboxedPython;
import dev.rlm.sinks.Step;
import dev.rlm.sinks.ToolCall;
import dev.rlm.sinks.event.RunStatus;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * An environment with a Python interpreter whose state lasts over the run. The agent runs code as often as it likes and then
 * submits a number, which is judged as in {@link CalcEnvironment}. Code that raises, or is ended because of a limit, fails its
 * step; the run goes on, with a new interpreter where the old one is gone.
 */
final class PythonEnvironment implements Environment {
    /** Its name. */
    static final String NAME = "python";

    /** The action that runs code. */
    static final String PYTHON = "python";

    private static final List<ToolSpec> TOOLS = List.of(
            ToolSpec.ofText(
                    PYTHON,
                    "Runs Python code. Shows what it prints and the value of a last expression. Variables, imports and"
                            + " files stay for the next call.",
                    "code"),
            CalcEnvironment.SUBMIT_TOOL);

    private final Problem problem;
    private final boolean shaping;
    private final SandboxedPython python;
    private @Nullable Interpreter interpreter;
    private @Nullable String state = SandboxReply.NO_VARIABLES;

    PythonEnvironment(Problem problem, boolean shaping, SandboxedPython python) {
        this.problem = problem;
        this.shaping = shaping;
        this.python = python;
    }

    @Override
    public String start() {
        return problem.question();
    }

    @Override
    public String instructions() {
        return "Solve the problem with Python. To run code, call the tool python, or write it in a block that begins with"
                + " ```python and ends with ```; you are shown what it prints. Variables, imports and files stay."
                + " There is no network. When you know the answer, submit it without any code: a plain number, without"
                + " units or words.";
    }

    @Override
    public List<ToolSpec> tools() {
        return TOOLS;
    }

    @Override
    public Action understand(String words) {
        return CodeBlocks.PYTHON
                .in(words)
                .map(code -> new Action(PYTHON, code))
                .orElseGet(() -> new Action(CalcEnvironment.SUBMIT, words));
    }

    @Override
    public Answer step(Action action, Step step) throws Exception {
        return switch (action.type()) {
            case PYTHON -> run(action, step);
            case CalcEnvironment.SUBMIT -> CalcEnvironment.submit(problem, action.code());
            default -> throw new IllegalArgumentException("python knows no action '" + action.type() + "'");
        };
    }

    @Override
    public Answer cutOff(Answer last, Step step) {
        return CalcEnvironment.unanswered(last);
    }

    private Answer run(Action action, Step step) throws IOException, InterruptedException {
        try (ToolCall call = step.startToolCall(PYTHON)) {
            call.arguments(Json.text(Map.of("code", action.code()))).callId(action.callId());
            SandboxReply reply = run(action.code(), call);
            call.result(reply.output());
            String error = error(reply);
            if (error != null) {
                call.fail(reply.kind().status(), error);
            }
            Double reward = error != null && shaping ? CalcEnvironment.FAILED_CALL : null;
            return new Answer(reply.output(), error, reward, 1, false);
        }
    }

    private static @Nullable String error(SandboxReply reply) {
        return reply.kind().isLoss()
                ? "The code " + reply.error() + ". The interpreter was ended and its state is lost: variables, imports,"
                        + " files. The next action starts a new one."
                : reply.error();
    }

    private SandboxReply run(String code, ToolCall call) throws IOException, InterruptedException {
        try {
            Interpreter running = interpreter;
            if (running == null) {
                running = python.start();
                interpreter = running;
            }
            SandboxReply reply = running.run(code);
            state = reply.state();
            if (reply.kind().isLoss()) {
                close();
            }
            return reply;
        } catch (InterruptedException e) {
            call.fail(RunStatus.CANCELLED, "interrupted");
            throw e;
        } catch (IOException e) {
            call.fail(RunStatus.INTERNAL, e.toString());
            throw e;
        }
    }

    /** A digest of the interpreter's variables. */
    @Override
    public @Nullable String state() {
        return state;
    }

    @Override
    public void close() {
        Interpreter running = interpreter;
        interpreter = null;
        if (running != null) {
            running.close();
        }
    }
}
