package dev.rlm.runs.scan;

import dev.rlm.sinks.ModelCall;
import dev.rlm.sinks.Run;
import dev.rlm.sinks.RunSpec;
import dev.rlm.sinks.Sinks;
import dev.rlm.sinks.Step;
import dev.rlm.sinks.ToolCall;
import dev.rlm.sinks.event.Correlation;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * What models once wrote about problems of GSM8K, recorded as runs of an agent that says it again: a call of a calculator, {@code
 * <<3*4=12>>}, is a step, and what the model took to be its result is the tool's.
 *
 * @param file a problem a line, with a solution of each model
 */
record RecordedSolutions(Path file, int problems, int maxSteps) {
    private static final JsonMapper JSON = new JsonMapper();
    private static final Pattern CALL = Pattern.compile("<<([^\n]*?)>>");
    private static final Pattern ANSWER = Pattern.compile("^(?:A:|####)(.*)$", Pattern.MULTILINE);
    private static final Pattern NO_NUMBERS = Pattern.compile("\\p{L}|\\d\\(");
    private static final Duration PATIENCE = Duration.ofMinutes(1);

    void record(Sinks sinks) throws IOException {
        List<String> lines = Files.readAllLines(file);
        for (int i = 0; i < problems; i++) {
            JsonNode problem = JSON.readTree(lines.get(i));
            String sample = "problem-" + (i + 1);
            String question = problem.get("question").asString();
            String expected = answer(problem.get("ground_truth").asString());
            problem.properties().forEach(model -> {
                if (model.getValue().has("solution")) {
                    RunSpec spec = RunSpec.builder("calc")
                            .task(question)
                            .model(model.getKey())
                            .expectedAnswer(expected)
                            .maxSteps(maxSteps)
                            .correlation(Correlation.builder().sample(sample).build())
                            .build();
                    try (Run run = sinks.startRun(spec)) {
                        replay(
                                run,
                                question,
                                expected,
                                model.getValue().get("solution").asString());
                    }
                }
            });
            if (!sinks.flush(PATIENCE).isComplete()) {
                throw new IOException("not all was written");
            }
        }
    }

    private void replay(Run run, String question, String expected, String solution) {
        List<Consumer<ModelCall>> said = new ArrayList<>();
        said.add(call -> call.message("user", question));
        int steps = 0;
        int end = 0;
        for (Matcher call = CALL.matcher(solution); call.find() && steps < maxSteps; end = call.end()) {
            steps++;
            try (Step step = run.startStep(steps == 1 ? question : "")) {
                calculate(step, said, "call-" + steps, solution.substring(end, call.end()), call.group(1));
            }
        }
        if (steps == maxSteps) {
            run.truncate("max_steps", null);
            return;
        }
        String answer = answer(solution);
        try (Step step = run.startStep()) {
            try (ModelCall call = step.startModelCall("recorded", "m")) {
                said.forEach(message -> message.accept(call));
                call.reply(solution.substring(end)).finishReason("stop");
            }
            step.action("submit", answer);
            step.reward(answer.equals(expected) ? 1 : 0);
            step.complete(answer.equals(expected) ? "right" : "wrong");
        }
        run.complete(answer, "stop");
    }

    /** One call of the calculator, which ends a piece of the solution. */
    private static void calculate(
            Step step, List<Consumer<ModelCall>> said, String callId, String piece, String called) {
        String[] sides = called.split("=", 2);
        String expression = sides[0].strip();
        String arguments = JSON.writeValueAsString(JSON.createObjectNode().put("expression", expression));
        String result = sides.length == 1 ? "" : sides[1].strip();
        Matcher wrong = NO_NUMBERS.matcher(expression);
        String error = wrong.find() ? "expected a number, found '" + wrong.group() + "'" : null;
        try (ModelCall call = step.startModelCall("recorded", "m")) {
            said.forEach(message -> message.accept(call));
            call.reply(piece).toolRequest(callId, "calculator", arguments).finishReason("tool_calls");
        }
        step.action("calculator", expression);
        try (ToolCall tool = step.startToolCall("calculator")) {
            tool.callId(callId).arguments(arguments);
            if (error == null) {
                tool.result(result);
            } else {
                tool.fail(1, error);
            }
        }
        if (error == null) {
            step.complete(result);
        } else {
            step.fail(error, error);
        }
        said.add(next -> next.message("assistant", piece));
        said.add(next -> next.toolMessage(callId, error == null ? result : error));
    }

    private static String answer(String solution) {
        String answer = "";
        for (Matcher line = ANSWER.matcher(solution); line.find(); ) {
            answer = line.group(1).strip();
        }
        return answer;
    }
}
