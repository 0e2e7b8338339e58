package dev.rlm.benchmarks.gateway;

import dev.rlm.benchmarks.figure.FigureException;
import dev.rlm.cli.launcher.Main;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** {@code rlm gateway} with the journal alone, in a process of its own, before a model on this machine. */
final class GatewayUnderLoad implements AutoCloseable {
    private static final Pattern LISTENING = Pattern.compile("listening on http://127.0.0.1:(\\d+)");
    private static final Pattern USED = Pattern.compile("used (\\d+)K");
    private static final Pattern RESIDENT = Pattern.compile("VmRSS:\\s+(\\d+) kB");
    // All of the heap is used from the start, so that what is resident tells of all else.
    private static final List<String> JAVA = List.of("-Xms512m", "-Xmx512m", "-XX:+AlwaysPreTouch", "-XX:+UseSerialGC");

    private final Process process;
    private final int port;

    GatewayUnderLoad(Path journal, int modelPort) throws IOException {
        ProcessBuilder builder = new ProcessBuilder(java());
        builder.command().addAll(JAVA);
        builder.command()
                .addAll(List.of(
                        "-cp",
                        System.getProperty("java.class.path"),
                        Main.class.getName(),
                        "gateway",
                        "--port",
                        "0",
                        "--max-calls",
                        "1024",
                        "--upstream",
                        "http://127.0.0.1:" + modelPort + "/v1"));
        builder.environment().keySet().removeIf(name -> name.startsWith("RLM_") || name.startsWith("OTEL_"));
        builder.environment().put("RLM_JSONL_DIR", journal.toString());
        process = builder.start();
        port = port(process.errorReader(StandardCharsets.UTF_8));
    }

    private static String java() {
        return Path.of(System.getProperty("java.home"), "bin", "java").toString();
    }

    /** Reads what it says up to its port. The rest is read away. */
    private static int port(BufferedReader lines) throws IOException {
        String last = "";
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            Matcher address = LISTENING.matcher(line);
            if (address.find()) {
                Thread reader = new Thread(() -> lines.lines().forEach(rest -> {}), "gateway-lines");
                reader.setDaemon(true);
                reader.start();
                return Integer.parseInt(address.group(1));
            }
            last = line;
        }
        throw new FigureException("the gateway does not start: " + last);
    }

    int port() {
        return port;
    }

    /** Returns what it holds in the heap after a collection, and what else is resident, in KB. */
    long memory() throws IOException {
        var unused = jcmd("GC.run");
        Matcher resident = RESIDENT.matcher(Files.readString(Path.of("/proc", Long.toString(process.pid()), "status")));
        Matcher used = USED.matcher(jcmd("GC.heap_info"));
        long sum = resident.find() ? Long.parseLong(resident.group(1)) : 0;
        while (used.find()) {
            sum += Long.parseLong(used.group(1));
        }
        return sum;
    }

    private String jcmd(String command) throws IOException {
        Path jcmd = Path.of(System.getProperty("java.home"), "bin", "jcmd");
        Process asked = new ProcessBuilder(jcmd.toString(), Long.toString(process.pid()), command).start();
        return new String(asked.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    }

    void kill() throws InterruptedException {
        process.destroyForcibly();
        process.waitFor();
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }
}
