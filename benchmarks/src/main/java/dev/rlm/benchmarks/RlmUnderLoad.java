package dev.rlm.benchmarks;

import dev.rlm.cli.launcher.Main;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A command of {@code rlm} that listens, with the journal alone, in a process of its own. */
public final class RlmUnderLoad implements AutoCloseable {
    private static final Pattern LISTENING = Pattern.compile("listening on http://127.0.0.1:(\\d+)");
    private static final Pattern USED = Pattern.compile("used (\\d+)K");
    private static final Pattern MOST = Pattern.compile("VmHWM:\\s+(\\d+) kB");
    private static final Pattern RESIDENT = Pattern.compile("VmRSS:\\s+(\\d+) kB");
    // All of the heap is used from the start, so that what is resident tells of all else.
    private static final List<String> JAVA = List.of("-Xms512m", "-Xmx512m", "-XX:+AlwaysPreTouch", "-XX:+UseSerialGC");

    private final Process process;
    private final int port;
    private final Thread reader;
    private volatile String said = ""; // last

    /** Starts it on a free port, and waits until it says which. */
    public RlmUnderLoad(Path journal, String command, String... options) throws IOException {
        this(journal, JAVA, Map.of(), command, options);
    }

    /** Starts it with these options of Java, and these variables. */
    public RlmUnderLoad(
            Path journal, List<String> java, Map<String, String> variables, String command, String... options)
            throws IOException {
        ProcessBuilder builder = new ProcessBuilder(java());
        builder.command().addAll(java);
        builder.command()
                .addAll(List.of(
                        "-cp", System.getProperty("java.class.path"), Main.class.getName(), command, "--port", "0"));
        builder.command().addAll(List.of(options));
        builder.environment().keySet().removeIf(name -> name.startsWith("RLM_") || name.startsWith("OTEL_"));
        builder.environment().put("RLM_JSONL_DIR", journal.toString());
        builder.environment().putAll(variables);
        process = builder.start();
        BufferedReader lines = process.errorReader(StandardCharsets.UTF_8);
        port = port(lines);
        reader = new Thread(() -> lines.lines().forEach(rest -> said = rest), "lines-of-rlm");
        reader.setDaemon(true);
        reader.start();
    }

    private static String java() {
        return Path.of(System.getProperty("java.home"), "bin", "java").toString();
    }

    /** Reads what it says up to its port. */
    private static int port(BufferedReader lines) throws IOException {
        String last = "";
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            Matcher address = LISTENING.matcher(line);
            if (address.find()) {
                return Integer.parseInt(address.group(1));
            }
            last = line;
        }
        throw new IllegalStateException("rlm does not start: " + last);
    }

    public int port() {
        return port;
    }

    /** Returns what it holds in the heap after a collection, and what else is resident, in KB. */
    public long memory() throws IOException {
        var unused = jcmd("GC.run");
        Matcher resident = RESIDENT.matcher(Files.readString(Path.of("/proc", Long.toString(process.pid()), "status")));
        Matcher used = USED.matcher(jcmd("GC.heap_info"));
        long sum = resident.find() ? Long.parseLong(resident.group(1)) : 0;
        while (used.find()) {
            sum += Long.parseLong(used.group(1));
        }
        return sum;
    }

    /** Returns the most that was ever resident, in KB. */
    public long mostResident() throws IOException {
        return mostResident(process);
    }

    /** Returns the most that was ever resident of a process, in KB. */
    public static long mostResident(Process process) throws IOException {
        Matcher most = MOST.matcher(Files.readString(Path.of("/proc", Long.toString(process.pid()), "status")));
        return most.find() ? Long.parseLong(most.group(1)) : 0;
    }

    /** Returns the processor time that it has taken so far. */
    public Duration processorTime() {
        return process.info().totalCpuDuration().orElse(Duration.ZERO);
    }

    /** Ends it in order, and returns the last line that it says. */
    public String stop() throws InterruptedException {
        process.toHandle().destroy(); // which, other than the process, leaves what it says to be read
        process.waitFor();
        reader.join();
        return said;
    }

    private String jcmd(String command) throws IOException {
        Path jcmd = Path.of(System.getProperty("java.home"), "bin", "jcmd");
        Process asked = new ProcessBuilder(jcmd.toString(), Long.toString(process.pid()), command).start();
        return new String(asked.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    }

    public void kill() throws InterruptedException {
        process.destroyForcibly();
        process.waitFor();
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }
}
