"""What fills the window; pages compose widgets and talk by signals."""
