import { mount } from "svelte";
import "./styles/tokens.css";
import "./styles/base.css";
import "./styles/controls.css";
import "./styles/tables.css";
import App from "./App.svelte";

const target = document.getElementById("workbench");
if (target) mount(App, { target });
