package dev.rlm.engine.spark;

import dev.rlm.sinks.testkit.FreePort;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;

/** Master and workers of Spark, each a process on the loopback. */
final class StandaloneCluster implements AutoCloseable {
    private static final String LOOPBACK = "127.0.0.1";

    private final Path folder;
    private final int slots;
    private final int port = FreePort.find();
    private final Started master;
    private final List<Started> workers = new ArrayList<>();

    StandaloneCluster(Path folder, int workers, int slots) throws Exception {
        this.folder = folder;
        this.slots = slots;
        this.master = Started.start(
                folder,
                Map.of(),
                command(
                        "org.apache.spark.deploy.master.Master",
                        "--host",
                        LOOPBACK,
                        "--port",
                        "" + port,
                        "--webui-port",
                        "0"));
        master.awaitText("I have been elected leader");
        for (int i = 0; i < workers; i++) {
            startWorker();
        }
    }

    private static List<String> command(String mainClass, String... arguments) {
        return Stream.concat(SparkFolders.spark(mainClass).stream(), Stream.of(arguments))
                .toList();
    }

    String url() {
        return "spark://" + LOOPBACK + ":" + port;
    }

    void startWorker() throws Exception {
        Started worker = Started.start(
                folder,
                Map.of(),
                command(
                        "org.apache.spark.deploy.worker.Worker",
                        "--host",
                        LOOPBACK,
                        "--cores",
                        "" + slots,
                        "--memory",
                        "640m",
                        "--webui-port",
                        "0",
                        "--work-dir",
                        folder.resolve("work").toString(),
                        url()));
        workers.add(worker);
        worker.awaitText("Successfully registered with master");
    }

    /** Returns the executors that live. */
    List<ProcessHandle> executors() {
        return workers.stream()
                .filter(Started::isAlive)
                .flatMap(worker -> worker.handle().children())
                .filter(ProcessHandle::isAlive)
                .toList();
    }

    /** Kills an executor. Returns whether there was one. */
    boolean killExecutor(Random random) throws Exception {
        List<ProcessHandle> executors = executors();
        if (executors.isEmpty()) {
            return false;
        }
        Started.signal(executors.get(random.nextInt(executors.size())), "KILL");
        return true;
    }

    /** Kills a worker and its executors, as a machine that goes down does, and starts another one. */
    void replaceWorker(Random random) throws Exception {
        Started worker = workers.remove(random.nextInt(workers.size()));
        List<ProcessHandle> all = Stream.concat(
                        Stream.of(worker.handle()), worker.handle().children())
                .toList();
        for (ProcessHandle process : all) {
            Started.signal(process, "KILL");
        }
        worker.close();
        startWorker();
    }

    @Override
    public void close() {
        workers.forEach(Started::close);
        master.close();
    }
}
