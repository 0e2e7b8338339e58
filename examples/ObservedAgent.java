import dev.rlm.sinks.RunSpec;
import dev.rlm.sinks.Sinks;
import dev.rlm.sinks.traced.Traced;
import java.util.Map;
import java.util.function.Function;

/**
 * An agent that knows nothing of this library, and what it takes to observe it: its model and its tools are wrapped, and each
 * of its turns is a step.
 *
 * <pre>
 * ./rlm sinks                                              # builds rlm
 * java -cp 'tools/cli/target/rlm.jar:tools/cli/target/lib/*' examples/ObservedAgent.java
 * ./rlm list
 * ./rlm show RUN --messages --tools
 * </pre>
 */
public final class ObservedAgent {
    public static void main(String[] arguments) {
        Function<String, String> model = ObservedAgent::model;
        Map<String, Function<String, String>> tools = Map.of("length", word -> "" + word.length());

        // The two lines:
        Function<String, String> observedModel = Traced.chat("example", "parrot", model::apply)::send;
        Map<String, Function<String, String>> observedTools = Traced.tools(tools);

        String question = "How long is 'episode'?";
        try (Sinks sinks = Sinks.fromEnvironment()) {
            sinks.run(RunSpec.builder("words").task(question).build(), run -> run.step("", step -> {
                String answer = new Agent(observedModel, observedTools).answer(question);
                step.action("answer", answer);
                step.reward(answer.contains("7") ? 1 : 0);
                step.complete(answer);
                run.complete(answer);
                System.out.println(answer);
            }));
        }
    }

    /** In the place of a real one. */
    private static String model(String prompt) {
        return prompt.contains("length = ") ? "It has 7 letters." : "length(episode)";
    }

    /** An agent as there are many: it asks its model, calls the tool that this one wants, and asks again. */
    private record Agent(Function<String, String> model, Map<String, Function<String, String>> tools) {
        String answer(String question) {
            String call = model.apply(question);
            String tool = call.substring(0, call.indexOf('('));
            String result = tools.get(tool).apply(call.substring(call.indexOf('(') + 1, call.length() - 1));
            return model.apply(question + "\n" + tool + " = " + result);
        }
    }
}
