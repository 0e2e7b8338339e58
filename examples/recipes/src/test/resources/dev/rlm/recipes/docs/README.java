// 1: dev.rlm:sinks-api dev.rlm:sink-jsonl
import dev.rlm.sinks.Run;
import dev.rlm.sinks.RunSpec;
import dev.rlm.sinks.Sinks;
import dev.rlm.sinks.Step;

class Page {
    public static void main(String[] arguments) throws Exception {
        new Page().block1();
    }
}
