package dev.rlm.runner.taskfolder;

import dev.rlm.episodes.Environment;
import dev.rlm.episodes.EnvironmentProvider;
import dev.rlm.episodes.PluginSettings;
import dev.rlm.episodes.Sample;
import dev.rlm.episodes.SampleRequest;
import dev.rlm.episodes.Samples;
import dev.rlm.episodes.SetupException;
import dev.rlm.runner.sandbox.ExecutionOptions;
import dev.rlm.runner.sandbox.Sandbox;
import dev.rlm.runner.sandbox.SandboxedPython;
import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Makes environments of tasks that lie in folders, in the format of Harbor. */
public final class TaskFolderProvider implements EnvironmentProvider {
    /** Its environments' name. */
    public static final String NAME = "task-folder";

    private static final String SANDBOX = "sandbox";
    private static final String AUTO = "auto";
    private static final String DOCKER = "docker";
    private static final List<String> CHOICES = List.of(AUTO, DOCKER, "bubblewrap", "none");

    private final ExecutionOptions options;
    private final Set<String> used = new TreeSet<>(); // kinds of sandboxes
    private String choice = AUTO;
    private boolean docker;
    private @Nullable SandboxedPython python;

    public TaskFolderProvider(ExecutionOptions options) {
        this.options = options;
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public void open(Map<String, String> settings) throws SetupException {
        PluginSettings.check(NAME, settings, SANDBOX);
        boolean unsafe = options.sandbox() == Sandbox.NONE;
        choice = settings.getOrDefault(SANDBOX, unsafe ? "none" : AUTO);
        if (!CHOICES.contains(choice)) {
            throw new SetupException("--set task-folder.sandbox=" + choice + " is not valid: expected one of "
                    + String.join(", ", CHOICES));
        } else if (unsafe && !choice.equals("none")) {
            throw new SetupException("--unsafe-exec and --set task-folder.sandbox=" + choice + " exclude each other");
        }
        options.check();
        docker = (choice.equals(AUTO) || choice.equals(DOCKER)) && DockerSandbox.answers();
        if (choice.equals(DOCKER) && !docker) {
            throw new SetupException("--set task-folder.sandbox=docker: no docker on the PATH answers (docker version):"
                    + " start Docker, or choose bubblewrap");
        }
    }

    @Override
    public Samples samples(SampleRequest request) throws SetupException {
        Samples samples = TaskReader.read(request.dataset(), request.skipBadLines());
        List<TaskFolder> local = samples.samples().stream()
                .map(TaskFolder.class::cast)
                .filter(task -> !isInDocker(task))
                .toList();
        if (local.size() < samples.samples().size()) {
            used.add(DOCKER);
        }
        if (!local.isEmpty()) {
            prepare(local);
        }
        return samples;
    }

    private boolean isInDocker(TaskFolder task) {
        return docker && task.hasDockerfile();
    }

    private void prepare(List<TaskFolder> local) {
        Sandbox kind = choice.equals("none") ? Sandbox.NONE : Sandbox.BUBBLEWRAP;
        local.forEach(task -> check(task, kind));
        python = SandboxedPython.open(NAME, options, kind);
        used.add(kind.label());
        Logger log = LoggerFactory.getLogger(TaskFolderProvider.class); // not before the command is parsed
        if (kind == Sandbox.NONE && options.sandbox() != Sandbox.NONE) {
            log.warn(
                    "task-folder.sandbox=none: the agent's commands run without a sandbox, and may do all that you may");
        }
        long images = local.stream().filter(TaskFolder::hasDockerfile).count();
        if (images > 0) {
            log.warn(
                    "{} of {} tasks have a Dockerfile, and are run without Docker: what it installs is missing",
                    images,
                    local.size());
        }
    }

    private void check(TaskFolder task, Sandbox kind) {
        String workdir = task.workdir();
        if (choice.equals(DOCKER)) {
            throw new SetupException(
                    "--set task-folder.sandbox=docker: the task " + task.folder() + " has no environment/Dockerfile");
        } else if (workdir != null && workdir.matches("/(usr|bin|sbin|lib\\w*|etc|proc|dev|tests|logs)(/.*)?")) {
            throw new SetupException(task.folder() + "/task.toml: [environment] workdir = " + workdir
                    + " is a place of the system's: only Docker can put files there");
        } else if (kind == Sandbox.NONE && mentionsMounts(task)) {
            throw new SetupException("task-folder.sandbox=none: " + task.tests()
                    + "/test.sh names /tests or /logs/verifier, which only a sandbox has");
        }
    }

    private static boolean mentionsMounts(TaskFolder task) {
        try {
            String script = Files.readString(task.tests().resolve("test.sh"));
            return script.contains("/logs/verifier") || script.contains("/tests/");
        } catch (IOException e) {
            throw new SetupException("the task " + task.folder() + " cannot be read: " + e);
        }
    }

    @Override
    public Environment create(Sample sample) throws IOException, InterruptedException {
        TaskFolder task = (TaskFolder) sample;
        TaskSandbox sandbox = isInDocker(task)
                ? DockerSandbox.open(task, options)
                : LocalSandbox.open(task, Objects.requireNonNull(python, "not opened"));
        return new TaskEnvironment(task, sandbox);
    }

    @Override
    public Map<String, Object> params() {
        return Map.of(SANDBOX, String.join("+", used));
    }
}
