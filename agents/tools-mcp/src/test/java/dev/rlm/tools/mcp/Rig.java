package dev.rlm.tools.mcp;

import dev.rlm.episodes.Tool;
import dev.rlm.episodes.ToolAddress;
import dev.rlm.episodes.ToolException;
import dev.rlm.episodes.ToolSource;
import dev.rlm.sinks.Run;
import dev.rlm.sinks.RunSpec;
import dev.rlm.sinks.Sinks;
import dev.rlm.sinks.Step;
import dev.rlm.sinks.ToolCall;
import dev.rlm.sinks.event.ToolCalled;
import dev.rlm.sinks.testkit.InMemorySink;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A connected server, and a step in which its tools are called. */
final class Rig implements AutoCloseable {
    static final Duration PATIENCE = Duration.ofSeconds(60);

    private final InMemorySink sink = new InMemorySink();
    private final Sinks sinks = Sinks.builder().add("memory", sink).build();
    private final Run run = sinks.startRun(RunSpec.builder("test").build());
    private final Step step = run.startStep();
    private final ToolSource source;

    private Rig(ToolAddress address) {
        source = new McpToolSourceProvider().connect(address);
    }

    /** The server that is a program of this class path. */
    static Rig of(Class<?> program, String... arguments) {
        return new Rig(address(command(program, arguments)));
    }

    static Rig of(ToolAddress address) {
        return new Rig(address);
    }

    static String command(Class<?> program, String... arguments) {
        return "'" + Path.of(System.getProperty("java.home"), "bin", "java") + "' -XX:TieredStopAtLevel=1 -cp '"
                + System.getProperty("java.class.path") + "' " + program.getName() + " " + String.join(" ", arguments);
    }

    static ToolAddress address(String location) {
        return address(location, PATIENCE);
    }

    static ToolAddress address(String location, Duration callTime) {
        return new ToolAddress("", location, Map.of(), null, PATIENCE, callTime);
    }

    static ToolAddress with(@Nullable String token, String location) {
        return new ToolAddress("", location, Map.of(), token, PATIENCE, PATIENCE);
    }

    List<String> names() {
        return source.tools().stream().map(tool -> tool.spec().name()).toList();
    }

    Tool tool(String name) {
        return source.tools().stream()
                .filter(tool -> tool.spec().name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    /** Calls a tool as the runner does, but for the record of the outcome. */
    String call(String name, String arguments) throws Exception {
        try (ToolCall call = step.startToolCall(name)) {
            return tool(name).call(arguments, call);
        }
    }

    /** Why a call fails. */
    ToolException failure(String name, String arguments) {
        try {
            throw new AssertionError("it worked: " + call(name, arguments));
        } catch (ToolException e) {
            return e;
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    /** What was recorded, once all has ended. */
    List<ToolCalled> recorded() {
        close();
        return sink.events(ToolCalled.class);
    }

    String traceParent() {
        return String.valueOf(step.traceContext().orElseThrow().baggage());
    }

    @Override
    public void close() {
        source.close();
        run.close();
        sinks.close();
    }
}
