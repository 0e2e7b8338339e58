// 1: dev.rlm:agent-tracing dev.rlm:sink-jsonl
import dev.rlm.sinks.Run;
import dev.rlm.sinks.RunSpec;
import dev.rlm.sinks.Scope;
import dev.rlm.sinks.Sinks;
import dev.rlm.sinks.Step;
import dev.rlm.sinks.traced.Traced;
import java.util.Map;
import java.util.function.Function;

class Page {
    final Client client = new Client();
    final Map<String, Function<String, String>> myTools = Map.of("length", word -> "" + word.length());
    final String question = "How long is 'episode'?";

    static class Client {
        String ask(String prompt) {
            return "It has 7 letters.";
        }
    }

    record Agent(Function<String, String> model, Map<String, Function<String, String>> tools) {
        String answer(String question) {
            return model.apply(question + tools.get("length").apply("episode"));
        }
    }

    public static void main(String[] arguments) throws Exception {
        new Page().block1();
    }
}
