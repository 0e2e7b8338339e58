package dev.rlm.recipes;

import io.micrometer.observation.ObservationRegistry;
import org.springframework.ai.chat.client.ChatClient;
import org.springframework.ai.chat.client.advisor.ToolCallingAdvisor;
import org.springframework.ai.model.tool.DefaultToolCallingManager;
import org.springframework.ai.openai.OpenAiChatModel;
import org.springframework.ai.openai.OpenAiChatOptions;
import org.springframework.ai.tool.annotation.Tool;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;

/** An application of Spring Boot with a client of Spring AI, which records itself: {@code tracing-spring-ai} and a sink are on the class path. */
@EnableAutoConfiguration
public class SpringAiAgent {
    static final class Arithmetic {
        @Tool
        int add(int a, int b) {
            return a + b;
        }
    }

    /** With the starters of Spring AI this bean is there. */
    @Bean
    ChatClient calculator(ObservationRegistry observations) {
        OpenAiChatModel model = OpenAiChatModel.builder()
                .options(OpenAiChatOptions.builder()
                        .baseUrl(System.getenv("OPENAI_BASE_URL"))
                        .apiKey(System.getenv().getOrDefault("OPENAI_API_KEY", "none"))
                        .model(System.getenv().getOrDefault("MODEL", "gpt-4o-mini"))
                        .build())
                .observationRegistry(observations)
                .build();
        ToolCallingAdvisor.Builder<?> tools = ToolCallingAdvisor.builder()
                .toolCallingManager(DefaultToolCallingManager.builder()
                        .observationRegistry(observations)
                        .build());
        return ChatClient.builder(model, observations, null, null, tools)
                .defaultTools(new Arithmetic())
                .build();
    }

    public static void main(String[] args) {
        try (ConfigurableApplicationContext application = SpringApplication.run(
                SpringAiAgent.class, "--spring.application.name=calculator", "--spring.main.banner-mode=off")) {
            ChatClient calculator = application.getBean(ChatClient.class);
            System.out.println(calculator
                    .prompt(args.length == 0 ? "What is 1 + 2?" : args[0])
                    .call()
                    .content());
        }
    }
}
