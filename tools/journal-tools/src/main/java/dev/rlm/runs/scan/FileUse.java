package dev.rlm.runs.scan;

import com.google.re2j.Matcher;
import com.google.re2j.Pattern;
import dev.rlm.json.Json;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;

/**
 * Use of a file that an action names: in a command of a shell, in Python, in a patch, or in a tool's arguments.
 *
 * @param text in which it stands
 * @param at place in that text
 */
record FileUse(Kind kind, String path, String text, int at) {
    /** Kinds of uses. */
    enum Kind {
        /** Writes a whole file, which may be a new one. */
        WRITE,
        /** Changes, moves or removes a file that is there. */
        CHANGE,
        READ
    }

    private static final int MAX_TEXT = 1 << 16; // characters of an action that are looked at
    private static final Set<String> PATHS = Set.of(
            "path", "file", "file_path", "filepath", "filename", "file_name", "target_file", "notebook_path", "uri");
    private static final Set<String> CONTENTS = Set.of(
            "content",
            "contents",
            "file_text",
            "text",
            "old_str",
            "new_str",
            "old_string",
            "new_string",
            "insert_text",
            "thought",
            "thoughts",
            "message",
            "query",
            "description",
            "prompt",
            "task",
            "instructions");
    private static final List<String> CHANGING = List.of(
            "str_replace", "replace", "insert", "edit", "delete", "remove", "patch", "update", "rename", "move");
    private static final List<String> WRITING = List.of("write", "create", "save", "append", "overwrite");
    private static final List<String> READING = List.of("read", "view", "open", "cat", "get", "show", "download");
    private static final Set<String> CHANGERS = Set.of("rm", "unlink", "truncate", "mv");
    private static final Set<String> WRITERS = Set.of("tee", "touch");
    private static final Set<String> READERS =
            Set.of("cat", "head", "tail", "less", "more", "grep", "rg", "strings", "xxd", "jq", "awk", "nl");
    private static final Pattern COMMENT = Pattern.compile("(?m)^[ \\t]*#.*$");
    private static final Pattern HEREDOC = Pattern.compile("<<-?\\s*[\"']?(\\w+)");
    private static final Pattern REDIRECT = Pattern.compile("(?:^|[\\s\\d])>{1,2}\\s*[\"']?([^\\s\"'&|;<>()]+)");
    private static final Pattern SEPARATOR = Pattern.compile("&&|\\|\\||[;|]");
    private static final Pattern OPEN = Pattern.compile(
            "\\bopen\\(\\s*[rbf]?[\"']([^\"'\\n]+)[\"']\\s*(?:,\\s*(?:mode\\s*=\\s*)?[\"']([rwaxbt+]+)[\"'])?");
    private static final Pattern PATH_CALL = Pattern.compile(
            "\\bPath\\(\\s*[rf]?[\"']([^\"'\\n]+)[\"']\\s*\\)\\s*\\.(write_text|write_bytes|unlink|rename|read_text|read_bytes)\\b");
    private static final Pattern REMOVED = Pattern.compile(
            "\\b(?:os\\.(?:remove|unlink|rename|replace|truncate)|shutil\\.rmtree)\\(\\s*[rf]?[\"']([^\"'\\n]+)[\"']");
    private static final Pattern COPIED =
            Pattern.compile("\\bshutil\\.(?:copy\\w*|move)\\([^,\\n]+,\\s*[rf]?[\"']([^\"'\\n]+)[\"']");
    private static final Pattern PATCHED =
            Pattern.compile("(?m)^(\\*\\*\\* (?:Update|Delete|Add) File: |\\+\\+\\+ b/)([^\\s]+)");

    /**
     * Finds the uses in an action.
     *
     * @param name of the action, or of the tool
     * @param action code, or the arguments of a tool
     */
    static List<FileUse> in(String name, String action) {
        String text = action.length() > MAX_TEXT ? action.substring(0, MAX_TEXT) : action;
        List<FileUse> uses = new ArrayList<>();
        if (text.stripLeading().startsWith("{")) {
            try {
                arguments(name, Json.REPLY.object(text), uses);
                return uses;
            } catch (JacksonException e) {
                // it is code
            }
        }
        code(text, uses);
        return uses;
    }

    private static void arguments(String name, JsonNode arguments, List<FileUse> uses) {
        String command = arguments.path("command").asString("");
        Kind kind = kind((command.isBlank() || command.contains(" ") ? name : command).toLowerCase(Locale.ROOT));
        arguments.forEachEntry((field, value) -> {
            String text = value.isString() ? value.stringValue() : "";
            if (kind != null && PATHS.contains(field)) {
                uses.add(new FileUse(kind, clean(text), name + " " + command + " " + text, 0));
            } else if (!CONTENTS.contains(field) && !PATHS.contains(field)) {
                code(text, uses);
            }
        });
    }

    private static @Nullable Kind kind(String verb) {
        return CHANGING.stream().anyMatch(verb::contains)
                ? Kind.CHANGE
                : WRITING.stream().anyMatch(verb::contains)
                        ? Kind.WRITE
                        : READING.stream().anyMatch(verb::contains) ? Kind.READ : null;
    }

    private static void code(String text, List<FileUse> uses) {
        commands(text, uses);
        String acts = withoutComments(text);
        for (Matcher open = OPEN.matcher(acts); open.find(); ) {
            String mode = open.group(2) == null ? "r" : open.group(2);
            boolean writes = mode.contains("w") || mode.contains("a") || mode.contains("x");
            Kind kind = writes ? Kind.WRITE : mode.contains("+") ? Kind.CHANGE : Kind.READ;
            uses.add(new FileUse(kind, clean(open.group(1)), text, open.start()));
        }
        for (Matcher call = PATH_CALL.matcher(acts); call.find(); ) {
            String verb = call.group(2);
            Kind kind = verb.startsWith("write") ? Kind.WRITE : verb.startsWith("read") ? Kind.READ : Kind.CHANGE;
            uses.add(new FileUse(kind, clean(call.group(1)), text, call.start()));
        }
        for (Matcher removed = REMOVED.matcher(acts); removed.find(); ) {
            uses.add(new FileUse(Kind.CHANGE, clean(removed.group(1)), text, removed.start()));
        }
        for (Matcher copied = COPIED.matcher(acts); copied.find(); ) {
            uses.add(new FileUse(Kind.WRITE, clean(copied.group(1)), text, copied.start()));
        }
        for (Matcher patched = PATCHED.matcher(acts); patched.find(); ) {
            Kind kind = patched.group(1).contains("Add") ? Kind.WRITE : Kind.CHANGE;
            uses.add(new FileUse(kind, clean(patched.group(2)), text, patched.start()));
        }
    }

    /** Returns the text with spaces in the place of lines that are comments. */
    private static String withoutComments(String text) {
        StringBuilder acts = new StringBuilder(text);
        for (Matcher comment = COMMENT.matcher(text); comment.find(); ) {
            acts.replace(comment.start(), comment.end(), " ".repeat(comment.end() - comment.start()));
        }
        return acts.toString();
    }

    /** Reads the lines as a shell's, without those that a command is given as its input. */
    private static void commands(String text, List<FileUse> uses) {
        String input = "";
        int at = 0;
        for (String line : text.split("\n", -1)) {
            if (!input.isEmpty()) {
                input = line.strip().equals(input) ? "" : input;
            } else if (!line.stripLeading().startsWith("#")) {
                for (Matcher redirect = REDIRECT.matcher(line); redirect.find(); ) {
                    uses.add(new FileUse(Kind.WRITE, clean(redirect.group(1)), text, at + redirect.start()));
                }
                for (String command : SEPARATOR.split(line)) {
                    command(command.strip(), text, at, uses);
                }
                Matcher heredoc = HEREDOC.matcher(line);
                input = heredoc.find() ? heredoc.group(1) : "";
            }
            at += line.length() + 1;
        }
    }

    private static void command(String command, String text, int at, List<FileUse> uses) {
        List<String> words = new ArrayList<>(List.of(command.split("\\s+", -1)));
        if (words.get(0).equals("sudo")) {
            words.remove(0);
        }
        String verb = words.isEmpty() ? "" : words.remove(0);
        boolean inPlace = verb.equals("sed") && words.stream().anyMatch(word -> word.startsWith("-i"));
        words.removeIf(word -> word.startsWith("-") || (word.indexOf('.') < 0 && word.indexOf('/') < 0));
        Kind kind = inPlace || CHANGERS.contains(verb)
                ? Kind.CHANGE
                : WRITERS.contains(verb) || verb.equals("cp") ? Kind.WRITE : READERS.contains(verb) ? Kind.READ : null;
        if (kind != null && !words.isEmpty()) {
            List<String> used = verb.equals("cp") ? words.subList(words.size() - 1, words.size()) : words;
            for (String word : used) {
                uses.add(new FileUse(kind, clean(word), text, at));
            }
        }
    }

    private static String clean(String path) {
        String bare = path.replaceAll("^[\"']+|[\"',:]+$", "");
        return bare.startsWith("./") ? bare.substring(2) : bare;
    }

    /** Returns the path without its folders. */
    String name() {
        return path.substring(path.lastIndexOf('/') + 1);
    }
}
