// 1 2: dev.rlm:sinks-api dev.rlm:sink-otel
import static java.net.http.HttpResponse.BodyHandlers.ofString;

import dev.rlm.sinks.Evaluation;
import dev.rlm.sinks.Run;
import dev.rlm.sinks.Scope;
import dev.rlm.sinks.Span;
import dev.rlm.sinks.Step;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.sql.Statement;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;

class Page {
    Run run = Run.NOOP;
    Step step = Step.NOOP;
    HttpClient client;
    HttpRequest request;
    Statement statement;
    Executor other;
    Runnable task;
    String output;

    double ask(HttpClient client) {
        return 1;
    }

    /** Java's from 21 on. */
    interface Executors {
        static ExecutorService newVirtualThreadPerTaskExecutor() {
            return java.util.concurrent.Executors.newCachedThreadPool();
        }
    }
}
