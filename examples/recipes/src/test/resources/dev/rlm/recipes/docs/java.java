// 1: dev.rlm:sinks-api dev.rlm:sink-jsonl dev.rlm:sink-otel dev.rlm:sink-mlflow
import dev.rlm.sinks.Run;
import dev.rlm.sinks.RunSpec;
import dev.rlm.sinks.Sinks;
import dev.rlm.sinks.Step;

class Page {
    String question = "What is 3 * 4?";
    String observation = question;
    String code = "3 * 4";
    String answer = "12";

    record Result(String output, double reward, boolean done) {}

    Result execute(String code) {
        return new Result("12", 1, true);
    }

    public static void main(String[] arguments) throws Exception {
        new Page().block1();
    }
}
