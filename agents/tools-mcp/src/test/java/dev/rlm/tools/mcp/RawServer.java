package dev.rlm.tools.mcp;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** A server that does wrong what it is told to, as a program of its own; the protocol by hand. */
final class RawServer {
    private static final JsonMapper JSON = new JsonMapper();
    private static final List<String> TOOLS = List.of(
            "echo", "env", "die", "hang", "huge", "endless", "called_off", "waiting", "children", "refuse", "deaf");
    private static final int PAGE = 4;

    private final AtomicInteger waiting = new AtomicInteger();
    private final Set<String> calledOff = new ConcurrentSkipListSet<>();
    private final PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);

    public static void main(String[] arguments) throws IOException {
        RawServer server = new RawServer();
        for (String argument : arguments) {
            server.misbehave(argument);
        }
        server.serve(arguments.length > 0 && arguments[0].equals("none"));
    }

    private void misbehave(String how) {
        switch (how) {
            case "die" -> {
                System.err.println("no such database");
                System.exit(3);
            }
            case "greet" -> out.println("Welcome!\n[1, 2]\n\n{\"jsonrpc\":\"2.0\"}");
            default -> System.err.println("ready");
        }
    }

    private void serve(boolean none) throws IOException {
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            JsonNode request = JSON.readTree(line);
            if (request.path("method").asString().equals("notifications/cancelled")) {
                calledOff.add(request.path("params").path("reason").asString());
            } else if (request.path("params").path("name").asString().equals("deaf")) {
                await();
            } else if (request.has("id")) {
                new Thread(() -> answer(request, none)).start();
            }
        }
    }

    private void answer(JsonNode request, boolean none) {
        ObjectNode reply = reply(request, none ? List.of() : TOOLS);
        if (reply == null) {
            reply = JSON.createObjectNode().put("jsonrpc", "2.0");
            reply.set("id", request.get("id"));
            call(request.path("params"), reply);
        }
        out.println(reply);
    }

    /** An answer that any server would give, or {@code null} where it is a call of a tool. */
    static @Nullable ObjectNode reply(JsonNode request, List<String> tools) {
        ObjectNode reply = JSON.createObjectNode().put("jsonrpc", "2.0");
        reply.set("id", request.get("id"));
        ObjectNode result = reply.putObject("result");
        switch (request.path("method").asString()) {
            case "initialize" -> {
                result.put(
                        "protocolVersion",
                        request.path("params").path("protocolVersion").asString());
                result.putObject("capabilities").putObject("tools");
                result.putObject("serverInfo").put("name", "raw").put("version", "1");
            }
            case "tools/list" -> list(request.path("params").path("cursor").asInt(0), tools, result);
            default -> {
                return null;
            }
        }
        return reply;
    }

    private static void list(int from, List<String> tools, ObjectNode result) {
        ArrayNode page = result.putArray("tools");
        int to = Math.min(tools.size(), from + PAGE);
        IntStream.range(from, to)
                .forEach(i -> page.addObject()
                        .put("name", tools.get(i))
                        .putObject("inputSchema")
                        .put("type", "object"));
        if (to < tools.size()) {
            result.put("nextCursor", Integer.toString(to));
        }
    }

    private void call(JsonNode params, ObjectNode reply) {
        JsonNode arguments = params.path("arguments");
        switch (params.path("name").asString()) {
            case "echo" -> text(reply, arguments.path("text").asString());
            case "env" -> text(reply, new TreeMap<>(System.getenv()).toString());
            case "die" -> {
                System.err.println("out of memory, say");
                Runtime.getRuntime().halt(7);
            }
            case "hang" -> await();
            case "waiting" -> text(reply, waiting.toString());
            case "huge" -> text(reply, "€".repeat(arguments.path("size").asInt()));
            case "endless" -> text(reply, "x".repeat(17 << 20));
            case "called_off" -> text(reply, calledOff.toString());
            case "children" -> text(reply, child());
            default -> reply.putObject("error").put("code", -32_602).put("message", "what is that?");
        }
    }

    private static String child() {
        try {
            Process shell = new ProcessBuilder("sh", "-c", "sleep 1000 & echo $!; trap '' TERM; sleep 1001").start();
            String grandchild = new BufferedReader(
                            new InputStreamReader(shell.getInputStream(), StandardCharsets.UTF_8))
                    .readLine();
            return shell.pid() + " " + grandchild;
        } catch (IOException e) {
            return e.toString();
        }
    }

    private void await() {
        waiting.incrementAndGet();
        try {
            new CountDownLatch(1).await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    static void text(ObjectNode reply, String text) {
        reply.remove("result");
        reply.putObject("result")
                .putArray("content")
                .addObject()
                .put("type", "text")
                .put("text", text);
    }
}
